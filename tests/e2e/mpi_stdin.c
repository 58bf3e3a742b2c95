// SPDX-License-Identifier: Apache-2.0
// As LAMMPS does with "< FILE": rank 0 reads stdin after MPI_Init, the others do not.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = -1;
  char line[256];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (rank == 0 && fgets(line, sizeof line, stdin) != NULL) printf("read %s", line);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
