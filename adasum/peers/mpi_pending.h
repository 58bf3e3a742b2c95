// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

namespace adasum {

/// Throws adasum::Error with MPI's words unless `status` is MPI_SUCCESS.
void check(int status, const std::string& what);

/// Messages, or a collective, that are under way. wait() returns when all are done; in a Fiber it leaves the fiber
/// meanwhile. `what` is said in errors.
class Pending {
 public:
  explicit Pending(std::string what) : what_(std::move(what)) {}

  /// Ends the program (std::abort) where some are still under way: MPI would go on writing to memory that is another's.
  ~Pending();
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// Where MPI puts the next request. `wanted` bytes are to be received; -1: something else is under way.
  MPI_Request* add(int wanted = -1) {
    wanted_.push_back(wanted);
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }

  /// Throws adasum::Error where a peer is gone, or a message of another length has come.
  void wait();

 private:
  int finish(std::vector<MPI_Status>& statuses);

  std::string what_;
  std::vector<MPI_Request> requests_;
  std::vector<int> wanted_;
};

}  // namespace adasum
