// SPDX-License-Identifier: Apache-2.0
// Prints a line and waits: on a pipe the C library keeps such a line until the program exits.
#include <stdio.h>
#include <unistd.h>

int main(void) {
  printf("step 1\n");
  return pause();
}
