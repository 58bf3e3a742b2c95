// SPDX-License-Identifier: Apache-2.0
#include "bench/adasum/sums.h"

#include <cstdlib>

namespace adarun::bench {

void AllreduceChoice::allow() {
  ::setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
}

AllreduceChoice::AllreduceChoice() {
  int provided = 0;
  int index = 0;
  int count = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (MPI_T_cvar_get_index("coll_tuned_allreduce_algorithm", &index) != MPI_SUCCESS) return;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count) != MPI_SUCCESS)
    handle_ = MPI_T_CVAR_HANDLE_NULL;
}

AllreduceChoice::~AllreduceChoice() {
  if (handle_ != MPI_T_CVAR_HANDLE_NULL) MPI_T_cvar_handle_free(&handle_);
  MPI_T_finalize();
}

MPI_Comm AllreduceChoice::world_by(int algorithm) {
  const int none = 0;
  if (handle_ == MPI_T_CVAR_HANDLE_NULL || MPI_T_cvar_write(handle_, &algorithm) != MPI_SUCCESS)
    return MPI_COMM_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_T_cvar_write(handle_, &none);
  return comm;
}

}  // namespace adarun::bench
