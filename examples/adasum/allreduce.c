/* SPDX-License-Identifier: Apache-2.0 */
/* Combines two tensors of every rank by AdaSum: mpirun -n 4 adasum-c */
#include <adasum_mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  /* Memory that the ranks of a node read in place; any other memory works too. */
  void* memory;
  if (adasum_alloc(6 * sizeof(float), MPI_COMM_WORLD, &memory) != 0) {
    fprintf(stderr, "%s\n", adasum_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  float* gradients = memory;
  gradients[0] = rank == 0; /* orthogonal to those of the other ranks: they add */
  gradients[1] = rank == 1;
  for (int i = 2; i < 6; ++i) gradients[i] = (float)i; /* the same on all ranks: they average */

  adasum_tensor tensors[] = {{gradients, 2}, {gradients + 2, 4}};
  if (adasum_allreduce_mpi(tensors, 2, ADASUM_FLOAT32, MPI_COMM_WORLD, NULL) != 0) {
    fprintf(stderr, "rank %d: %s\n", rank, adasum_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) {
    printf("%d ranks:", size);
    for (int i = 0; i < 6; ++i) printf(" %g", gradients[i]);
    printf("\n");
  }
  adasum_free(memory);
  MPI_Finalize();
  return 0;
}
