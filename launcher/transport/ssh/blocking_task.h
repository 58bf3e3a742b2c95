// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace adarun::launcher {

/// Work that may block without an end, such as on a file system that is away: it has a thread of its own,
/// which is left behind when the task goes before it is over. What the work uses belongs to the work.
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
