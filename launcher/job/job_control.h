// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/file_descriptor.h"
#include "launcher/job/job.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Ctrl-Z while a job runs: as long as it lives, SIGTSTP stops this process only when all nodes have stopped
/// theirs, or have been waited for; SIGCONT has them go on. A job that is being ended is not stopped. Where
/// SIGTSTP is ignored, it stays so. Where the kernel does not stop this process, since no shell is there that
/// could have it go on, nodes go on at once.
/// Made on the main thread, when all others take no signals. Borrows both.
class JobControl {
 public:
  JobControl(Job& job, Transport& transport);
  ~JobControl();
  JobControl(const JobControl&) = delete;
  JobControl& operator=(const JobControl&) = delete;

  /// Readable when SIGTSTP has come; -1: it never does.
  int fd() const { return fd_.get(); }

  /// To be called in each turn: tells the job, and in a later turn stops this process, which ends when it has
  /// been continued.
  void advance(Job::Clock::time_point now);

 private:
  bool asked() const;
  void stand_still();

  Job& job_;
  Transport& transport_;
  base::FileDescriptor fd_;
  std::optional<Job::Clock::time_point> deadline_;  ///< While nodes are waited for.
  bool told_ = false;                               ///< The next turn stops this process.
};

}  // namespace adarun::launcher
