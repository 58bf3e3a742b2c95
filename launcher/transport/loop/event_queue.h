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

  /// `position`: position in the node's stream after this event, for done_with().
  void push(TransportEvent event, std::uint64_t position = 0);

  /// The events pushed since the last call. Events of earlier calls now count as processed.
  std::vector<TransportEvent> take();

  /// The position up to which a node's stream is processed; `parsed` if no event of it is queued or being
  /// processed.
  std::uint64_t done_with(std::uint32_t node, std::uint64_t parsed) const;

  /// All events taken so far count as processed; the others never will be.
  void finish();

  /// Readable while the queue is not empty.
  int ready_fd() const { return ready_.get(); }

  /// Whether queued events hold so much memory that no more should be read from the nodes.
  bool full() const;

 private:
  base::FileDescriptor ready_;
  mutable std::mutex mutex_;
  /// Positions in a node's stream up to which events were pushed, taken and processed.
  struct StreamProgress {
    std::uint64_t pushed = 0;
    std::uint64_t taken = 0;
    std::uint64_t done = 0;
  };

  std::vector<TransportEvent> events_;
  std::map<std::uint32_t, StreamProgress> positions_;
  std::size_t bytes_ = 0;
};

}  // namespace adarun::launcher
