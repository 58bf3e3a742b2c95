// SPDX-License-Identifier: Apache-2.0
#include "adasum/c/mpi_context.h"  // before other headers that include mpi.h

#include "adasum/c/adasum_mpi.h"
#include "adasum/c/calls.h"

using namespace adasum::c;

extern "C" {

int adasum_allreduce_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                         const adasum_options* options) {
  return guarded([&] { return allreduce(context_of(comm), tensors, n, dtype, options); });
}

int adasum_allreduce_parts_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                               MPI_Comm parts, const adasum_options* options) {
  return guarded([&] { return allreduce(context_of(comm, parts), tensors, n, dtype, options); });
}

int adasum_alloc(int64_t bytes, MPI_Comm comm, void** ptr) {
  return guarded([&] { return allocate(context_of(comm), bytes, ptr); });
}
}
