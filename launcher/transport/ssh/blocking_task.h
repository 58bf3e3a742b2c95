// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <thread>

namespace adarun::launcher {

/// Work that may block without end, for example on an unreachable file system. It has its own thread, which
/// is left running if the task is destroyed before it is over, and else has ended with it: libraries free
/// what they keep for a thread at its end, and this process may be about to exit. The work must own what it
/// uses.
class BlockingTask {
 public:
  explicit BlockingTask(std::function<void()> work);
  BlockingTask(BlockingTask&&) = default;
  BlockingTask& operator=(BlockingTask&&) = delete;
  BlockingTask(const BlockingTask&) = delete;
  BlockingTask& operator=(const BlockingTask&) = delete;
  ~BlockingTask();

  /// Readable once it is over.
  int fd() const;
  bool over() const;

  /// Once it is over: throws what the work threw.
  void check() const;

 private:
  struct Shared;

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace adarun::launcher
