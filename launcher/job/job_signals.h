// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// What `adarun stop` is among the signals that end a job: one that nobody else sends, and that counts twice
/// when it is sent twice.
inline int stop_signal() {
  return SIGRTMIN;
}

/// Blocks, for as long as it lives, the signals that a running job answers to: INT, TERM, HUP and
/// stop_signal() end it, and so does PIPE, when nobody reads the output any more; USR1 and USR2 go to its
/// ranks. INT and HUP stay ignored where they are. Make it before any thread starts. PIPE is ignored from
/// then on.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  /// Readable while a signal waits.
  int fd() const { return fd_.get(); }

  /// The number of the next signal, 0 where none waits.
  int take() const;

 private:
  base::FileDescriptor fd_;
};

}  // namespace adarun::launcher
