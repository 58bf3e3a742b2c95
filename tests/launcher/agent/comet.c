// SPDX-License-Identifier: Apache-2.0
// Processes that cannot be caught one by one: each forks itself into a new session and ends at once, without
// end. There are never more than a few of them, and none after a minute.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void fly(time_t end) {
  while (time(NULL) < end) {
    const pid_t child = fork();
    if (child > 0) _exit(0);
    if (child == 0) setsid();
  }
  _exit(0);
}

int main(void) {
  enum { comets = 4, seconds = 60 };
  const time_t end = time(NULL) + seconds;
  for (int i = 0; i < comets; ++i)
    if (fork() == 0) fly(end);
  puts("ready");
  fflush(stdout);
  for (;;) pause();
}
