// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "launcher/transport/loop/link.h"

namespace adarun::launcher {

/// Links that are no longer used, until close() of each has finished: it may have a process to reap. Used by
/// one thread.
class ClosingLinks {
 public:
  /// Adds a link; null is ignored.
  void add(std::unique_ptr<Link> link);

  /// Calls close() of each once. Never blocks.
  void advance();

  /// Blocks until all are closed, for `most_time` at most; the others are left as they are.
  void finish(std::chrono::milliseconds most_time);

 private:
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace adarun::launcher
