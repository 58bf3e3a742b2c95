// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// The signal that `adarun stop` sends. A real-time signal: nothing else sends it, and it is queued, so that
/// a second one is not lost.
inline int stop_signal() {
  return SIGRTMIN;
}

/// Whether a signal that SignalGuard took ends the job; USR1 and USR2 are for the ranks.
inline bool ends_job(int signal) {
  return signal != 0 && signal != SIGUSR1 && signal != SIGUSR2;
}

/// While it exists, blocks the signals that a running job handles: INT, TERM, HUP and stop_signal() end the
/// job, as does PIPE, when the reader of the output is gone; USR1 and USR2 are forwarded to the ranks. INT
/// and HUP stay ignored if they were. Create it before any thread starts. PIPE is ignored from then on.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  /// Readable while a signal is pending.
  int fd() const { return fd_.get(); }

  /// The number of the next pending signal, or 0.
  int take() const;

 private:
  base::FileDescriptor fd_;
};

}  // namespace adarun::launcher
