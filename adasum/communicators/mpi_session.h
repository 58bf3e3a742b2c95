// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// Keeps MPI initialised while this object exists: initialises it (unless the program has already done so),
/// and finalises it on destruction (if initialised here). If an exception destroys it, it ends all ranks of
/// the job instead: those that do not know of it would wait for this one. Make one, in main, before any MPI
/// communicator.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// All ranks of the job. Must not outlive the session.
  std::unique_ptr<Communicator> world() const;

  /// Ends all ranks of the job with `status` (MPI_Abort). For errors that only this rank sees.
  [[noreturn]] void abort(int status) const;

 private:
  bool initialized_here_ = false;
  int exceptions_ = std::uncaught_exceptions();
};

/// The name and version that the MPI library reports: "Open MPI v4.1.4". Needs no MpiSession.
std::string mpi_library();

}  // namespace adasum
