// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace adarun::launcher {

/// Work that may block without end, for example on an unreachable file system. It has its own thread, which
/// is left running if the task is destroyed before it is over. The work must own what it uses.
class BlockingTask {
 public:
  explicit BlockingTask(std::function<void()> work);

  /// Readable once it is over.
  int fd() const;
  bool over() const;

  /// Once it is over: throws what the work threw.
  void check() const;

 private:
  struct Shared;

  std::shared_ptr<Shared> shared_;
};

}  // namespace adarun::launcher
