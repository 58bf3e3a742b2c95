// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/peers.h"

namespace adasum {

/// MPI for the life of this object: initialised when made (unless the program has done so itself) and
/// finalised when destroyed (if made here). Make one, in main, before any MpiPeers.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// All ranks of the job. Must not outlive the session.
  std::unique_ptr<Peers> world() const;

  /// Ends all ranks of the job with `status` (MPI_Abort). For an error that only this rank sees.
  [[noreturn]] void abort(int status) const;

 private:
  bool ours_ = false;
};

}  // namespace adasum
