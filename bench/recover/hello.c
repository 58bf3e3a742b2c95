// SPDX-License-Identifier: Apache-2.0
// An MPI program that says once that it has found the others, and waits.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  char name[64];
  snprintf(name, sizeof name, "step.%s.%d", getenv("TORCHELASTIC_RESTART_COUNT"), rank);
  FILE* file = fopen(name, "w");
  if (file == NULL || fclose(file) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  sleep(1000);
  MPI_Finalize();
  return 0;
}
