// SPDX-License-Identifier: Apache-2.0
// Prints which of the job's programs this rank runs, as MPI tells it, and what all ranks add up to.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, sum, found = 0;
  int* application = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &application, &found);
  printf("%s: rank %d of %d: appnum %d, sum %d\n", argc > 1 ? argv[1] : "", rank, size,
         found ? *application : -1, sum);
  return MPI_Finalize();
}
