// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// Work that may block without end, for example on an unreachable file system. It has its own thread, which
/// is left running if the task is destroyed before it is over, and else has ended with it: libraries free
/// what they keep for a thread at its end, and this process may be about to exit. The work must own what it
/// uses.
class BlockingTask {
 public:
  explicit BlockingTask(std::function<void()> work);
  BlockingTask(BlockingTask&&) = default;
  ~BlockingTask();

  /// Readable once it is over.
  int fd() const { return shared_->done.get(); }
  bool over() const { return shared_->over; }

  /// Once it is over: throws what the work threw.
  void check() const {
    if (shared_->error) std::rethrow_exception(shared_->error);
  }

 private:
  /// The thread may outlive the task.
  struct Shared {
    base::FileDescriptor done;
    std::atomic<bool> over = false;
    std::exception_ptr error;
  };

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace adarun::launcher
