// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// The signals that the agent acts on, taken from a descriptor in its loop: SIGCHLD, and those that ask it to
/// end (SIGTERM, SIGHUP, SIGINT, SIGQUIT). SIGPIPE is ignored. Made before any other thread is, so that all
/// threads leave signals to it; for the rest of the process's life.
class Signals {
 public:
  /// Throws agent::Error.
  Signals();

  int fd() const { return fd_.get(); }

  /// The next signal that came, or nothing.
  std::optional<int> next();

 private:
  base::FileDescriptor fd_;
};

}  // namespace adarun::launcher::agent
