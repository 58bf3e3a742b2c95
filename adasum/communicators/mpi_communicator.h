// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// Throws adasum::Error with MPI's error message unless `status` is MPI_SUCCESS. `what` is named in the
/// error.
void check_mpi(int status, const std::string& what);

/// Outstanding MPI requests: messages, or one collective. wait() returns when all are complete; in a Fiber it
/// suspends the fiber instead of blocking. `what` is named in errors.
class MpiRequests {
 public:
  explicit MpiRequests(std::string what) : what_(std::move(what)) {}

  /// Ends the program (std::abort) if some are not complete: MPI would still write to memory that is no
  /// longer valid.
  ~MpiRequests();
  MpiRequests(const MpiRequests&) = delete;
  MpiRequests& operator=(const MpiRequests&) = delete;

  /// Returns where MPI stores the next request. `wanted`: the bytes to be received; -1: not a receive.
  MPI_Request* add(int wanted = -1) {
    wanted_.push_back(wanted);
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }

  /// Throws adasum::Error if a peer has ended, or a message of another length has arrived.
  void wait();

 private:
  int finish(std::vector<MPI_Status>& statuses);

  std::string what_;
  std::vector<MPI_Request> requests_;
  std::vector<int> wanted_;
};

/// Calls visit(offset, length) for consecutive pieces of [0, size), each at most `limit` long, because MPI
/// counts in int. An empty message is one piece of length 0.
template <typename Visit>
void for_each_chunk(std::size_t size, std::size_t limit, const Visit& visit) {
  std::size_t offset = 0;
  do {
    const std::size_t length = std::min(limit, size - offset);
    visit(offset, static_cast<int>(length));
    offset += length;
  } while (offset < size);
}

/// A communicator over a duplicate of `comm`, so that its messages never match those of other code.
/// Collective over `comm`. Must not outlive MPI. Throws adasum::Error.
///
/// For programs that include mpi.h themselves; mpi_session.h needs no MPI header. Include this before other
/// headers that include mpi.h: it leaves out the C++ bindings of Open MPI.
std::unique_ptr<Communicator> mpi_communicator(MPI_Comm comm);

}  // namespace adasum
