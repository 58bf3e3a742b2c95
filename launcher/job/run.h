// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "base/file_descriptor.h"
#include "launcher/job/job.h"
#include "launcher/job/job_input.h"
#include "launcher/job/job_signals.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Handles Ctrl-Z while a job runs. While this object exists, SIGTSTP stops this process only after all nodes
/// have stopped the job's processes, or after a timeout; SIGCONT continues them. A job that is being ended is
/// not stopped. If SIGTSTP is ignored, it stays ignored. If the kernel does not stop this process, because no
/// shell could continue it, the nodes continue at once. Create it on the main thread, while all other threads
/// block signals. Borrows both arguments.
class JobControl {
 public:
  using Clock = std::chrono::steady_clock;

  JobControl(Job& job, Transport& transport);
  ~JobControl();
  JobControl(const JobControl&) = delete;
  JobControl& operator=(const JobControl&) = delete;

  /// Readable when SIGTSTP has arrived; -1 if SIGTSTP is ignored.
  int fd() const { return fd_.get(); }

  /// Call in each turn of the loop: on SIGTSTP tells the job, and in a later turn stops this process. That
  /// call returns after SIGCONT.
  void advance(Clock::time_point now);

 private:
  bool asked() const;
  void stand_still();

  Job& job_;
  Transport& transport_;
  base::FileDescriptor fd_;
  std::optional<Clock::time_point> deadline_;  ///< Set while waiting for the nodes.
  bool told_ = false;                          ///< The next turn stops this process.
};

/// What comes from outside while a job runs.
struct FromOutside {
  const SignalGuard& signals;
  JobInput& input;
};

/// Runs one job over `transport` from its first connection to its end. The observer is called from this
/// thread; an exception that it throws (such as a log that cannot be written) ends the job on every node as
/// its failure. `take_place`: as of Job.
JobReport run_job(const Plan& plan, Transport& transport, JobObserver& observer,
                  const FromOutside& from_outside, NodeReplacement::TakePlace take_place = {});

}  // namespace adarun::launcher
