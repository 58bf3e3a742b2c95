// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Events from the I/O thread to the main thread. Thread-safe.
class EventQueue {
 public:
  EventQueue();

  /// `position`: where the node's stream stands behind this event, for done_with().
  void push(TransportEvent event, std::uint64_t position = 0);

  /// What was pushed since the last call; all that was given before is done with.
  std::vector<TransportEvent> take();

  /// How far a node's stream is done with; where nothing of it waits or is being dealt with, `parsed`.
  std::uint64_t done_with(std::uint32_t node, std::uint64_t parsed) const;

  /// What was taken is done with, and what was not never will be.
  void finish();

  /// Readable while the queue holds something.
  int ready_fd() const { return ready_.get(); }

  /// Whether what waits holds so much memory that no more should be taken from the nodes.
  bool full() const;

 private:
  base::FileDescriptor ready_;
  mutable std::mutex mutex_;
  /// How far a node's stream was pushed, taken and dealt with.
  struct StreamPosition {
    std::uint64_t pushed = 0;
    std::uint64_t taken = 0;
    std::uint64_t done = 0;
  };

  std::vector<TransportEvent> events_;
  std::map<std::uint32_t, StreamPosition> positions_;
  std::size_t bytes_ = 0;
};

}  // namespace adarun::launcher
