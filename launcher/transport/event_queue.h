// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include "launcher/posix/file_descriptor.h"
#include "launcher/transport/transport.h"

namespace adarun::launcher {

/// Events from the I/O thread to the main thread. Thread-safe.
class EventQueue {
 public:
  EventQueue();

  void push(TransportEvent event);
  std::vector<TransportEvent> take();

  /// Readable while the queue holds something.
  int ready_fd() const { return ready_.get(); }

  /// Whether so much output waits that no more should be read from the nodes.
  bool full() const;

 private:
  posix::FileDescriptor ready_;
  mutable std::mutex mutex_;
  std::vector<TransportEvent> events_;
  std::size_t bytes_ = 0;
};

}  // namespace adarun::launcher
