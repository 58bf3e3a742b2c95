// SPDX-License-Identifier: Apache-2.0
// An MPI program whose rank 0 computes for the given number of seconds while all others spin in a barrier.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double end = MPI_Wtime() + (argc > 1 ? atof(argv[1]) : 5);
  if (rank == 0) {
    puts("up");
    fflush(stdout);
    while (MPI_Wtime() < end) {
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
