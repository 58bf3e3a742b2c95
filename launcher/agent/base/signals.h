// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace adarun::launcher::agent
