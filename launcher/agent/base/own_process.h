// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// The signals that the agent handles, read from a signalfd: SIGCHLD, and those that ask it to end (SIGTERM,
/// SIGHUP, SIGINT, SIGQUIT). These are blocked and SIGPIPE is ignored, for the rest of the process's life.
/// Create it before any other thread, so that all threads inherit the blocked mask.
class Signals {
 public:
  /// Throws agent::Error.
  Signals();

  int fd() const { return fd_.get(); }

  /// The next pending signal, or nothing.
  std::optional<int> next();

 private:
  base::FileDescriptor fd_;
};

/// For a child: gives each signal its default action, and blocks none. Two steps, since a signal that is
/// pending has its effect with the second one.
void reset_signals();
void unblock_signals();

/// For a child: it gets the signal `number` once the thread that forked it ends. Ends this process at once if
/// `parent`, which forked it, is no longer there.
void end_with_parent(pid_t parent, int number = SIGKILL);

/// Gives this process precedence over the ranks, which may keep every CPU busy for hours: a niceness ten
/// below that of `watchdog`. Needs a privilege (root, CAP_SYS_NICE, RLIMIT_NICE); without it, changes
/// nothing.
void raise_priority(pid_t watchdog);

/// Takes the niceness of `watchdog`, which has that of the user. For a child, between fork and exec.
void take_priority_of(pid_t watchdog);

}  // namespace adarun::launcher::agent
