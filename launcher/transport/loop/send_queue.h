// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/transport/loop/outbox.h"

namespace adarun::launcher {

/// Frames from the main thread to the I/O thread. Thread-safe.
class SendQueue {
 public:
  /// A frame, and the nodes it is for.
  struct Item {
    std::vector<std::uint32_t> nodes;
    Outbox::Bytes frame;
  };

  /// Throws Error.
  SendQueue();

  void push(Item item);

  /// What was pushed since the last call.
  std::vector<Item> take();

  /// Readable from the next push() or wake() until take().
  int fd() const { return ready_.get(); }
  void wake() const;

 private:
  base::FileDescriptor ready_;
  std::mutex mutex_;
  std::vector<Item> items_;
};

}  // namespace adarun::launcher
