// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "launcher/transport/loop/link.h"

namespace adarun::launcher {

/// Links that nobody uses any more, until all of their close() is done: a process of one of them may have to
/// be reaped. Used by one thread.
class ClosingLinks {
 public:
  /// Takes a link; null: there is none.
  void add(std::unique_ptr<Link> link);

  /// Goes on with closing. Never blocks.
  void advance();

  /// Blocks until all are closed, for `most_time` at most; those that are not are left to themselves.
  void finish(std::chrono::milliseconds most_time);

 private:
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace adarun::launcher
