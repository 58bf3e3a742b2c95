// SPDX-License-Identifier: Apache-2.0
// mpi_faults FAULT RANK: an MPI program in which one rank
//   abort     calls MPI_Abort(7), while the others are in a barrier
//   kill      ends by SIGKILL, while the others are in a barrier
//   leave     exits 0 without MPI_Finalize, while the others are in a barrier
//   forget    exits 0 without MPI_Finalize, while the others are in MPI_Finalize
//   stay-out  exits 0 and never calls MPI_Init
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* fault = argv[1];
  const int culprit = atoi(getenv("RANK")) == atoi(argv[2]);
  if (culprit && strcmp(fault, "stay-out") == 0) return 0;
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);  // Who is still in MPI_Init where another leaves may fail by that.
  if (culprit && strcmp(fault, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (culprit && strcmp(fault, "kill") == 0) raise(SIGKILL);
  if (culprit) _exit(0);
  if (strcmp(fault, "forget") != 0) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
