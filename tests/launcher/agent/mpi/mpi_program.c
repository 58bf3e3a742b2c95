// SPDX-License-Identifier: Apache-2.0
// An MPI program that knows nothing of adarun. With a number, rank 1 calls MPI_Abort with it; with "size", it
// asks nobody else and leaves; with "topology", it tells whether it has mapped what its server knows of the
// machine.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell_topology(void) {
  char line[4096];
  const char* origin = "its own";
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    if (strstr(line, "hwloc.sm") != NULL) origin = "its server's";
  if (maps != NULL) fclose(maps);
  printf("topology: %s\n", origin);
}

int main(int argc, char** argv) {
  int rank = -1;
  int size = -1;
  int sum = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "size") == 0) {
    dprintf(STDOUT_FILENO, "rank %d of %d\n", rank, size);
    _exit(0);
  }
  if (argc > 1 && strcmp(argv[1], "topology") == 0) {
    tell_topology();
    return MPI_Finalize();
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d sum %d\n", rank, size, sum);
  if (argc > 1 && rank == 1) MPI_Abort(MPI_COMM_WORLD, atoi(argv[1]));
  if (argc > 1) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
