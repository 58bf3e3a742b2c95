// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file_descriptor.h"
#include "launcher/job/job.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Blocks, for as long as it lives, the signals that a running job answers to: INT, TERM, HUP end it, and so
/// does PIPE, when nobody reads the output any more; USR1 and USR2 go to its ranks. INT and HUP stay ignored
/// where they are. Make it before any thread
/// starts. PIPE is ignored from then on.
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

/// Drives one job over `transport` from its first connection to its end. The observer is called from here; an
/// exception of its own (a log that cannot be written) ends the job on every node and is its failure.
Report run_job(const Plan& plan, Transport& transport, const Job::Limits& limits, JobObserver& observer,
               const SignalGuard& signals);

}  // namespace adarun::launcher
