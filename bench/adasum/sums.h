// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/communicators/mpi_communicator.h"

namespace adarun::bench {

/// Open MPI's variable for the algorithm of MPI_Allreduce. Open MPI reads it when a communicator is created.
class AllreduceChoice {
 public:
  static constexpr int rabenseifner = 6;

  /// Call this before MPI is initialised.
  static void allow();

  AllreduceChoice();
  ~AllreduceChoice();
  AllreduceChoice(const AllreduceChoice&) = delete;
  AllreduceChoice& operator=(const AllreduceChoice&) = delete;

  /// A duplicate of MPI_COMM_WORLD that sums by `algorithm`; MPI_COMM_NULL if it cannot be selected.
  MPI_Comm world_by(int algorithm);

 private:
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
};

}  // namespace adarun::bench
