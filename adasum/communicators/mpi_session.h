// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// MPI for the life of this object: initialised when made (unless the program has done so itself) and
/// finalised when destroyed (if initialised here). Make one, in main, before any communicator of MPI.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// All ranks of the job. Must not outlive the session.
  std::unique_ptr<Communicator> world() const;

  /// Ends all ranks of the job with `status` (MPI_Abort). For an error that only this rank sees.
  [[noreturn]] void abort(int status) const;

 private:
  bool initialized_here_ = false;
};

/// The MPI library of this program, as it names itself: "Open MPI v4.1.4". Needs no MpiSession.
std::string mpi_library();

}  // namespace adasum
