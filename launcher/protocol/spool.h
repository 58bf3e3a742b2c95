// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/protocol/spool_file.h"

namespace adarun::launcher::protocol {

/// An outgoing stream of frames. Frames are kept until the other side acknowledges them, so that they can be
/// sent again over another connection. Positions count bytes from the first one ever appended. Frames beyond
/// the memory limit go to a file, if one is given. Not thread-safe.
class Spool {
 public:
  /// From now on at most `memory_bytes` stay in memory and `file_bytes` go to `file`, which is created when
  /// it is needed.
  void spill(std::string file, std::uint64_t memory_bytes, std::uint64_t file_bytes);

  /// Continues a stream of which the other side has everything before `position`. Call before anything else.
  void begin_at(std::uint64_t position) { end_ = sent_ = acknowledged_ = position; }

  /// Adds whole frames, even beyond the limits: see has_room.
  void append(std::string frames);

  /// Whether the limits allow more.
  bool has_room() const;

  /// Some of the bytes to send next; empty: all were sent. Valid until the next call. Throws protocol::Error
  /// if the file cannot be read.
  std::string_view unsent();

  /// Marks the first `bytes` of unsent() as sent.
  void sent(std::size_t bytes) { sent_ += bytes; }

  /// Records that the other side has everything before `position`.
  void acknowledge(std::uint64_t position);

  /// Sends again from `position`. Throws protocol::Error if that is not kept (any more).
  void rewind(std::uint64_t position);

  std::uint64_t end_position() const { return end_; }
  std::uint64_t sent_position() const { return sent_; }
  std::uint64_t acknowledged_position() const { return acknowledged_; }
  std::uint64_t unsent_bytes() const { return end_ - sent_; }
  std::uint64_t kept_bytes() const { return end_ - acknowledged_; }

  /// Writes all kept frames to the file, to be read by a KeptStream. Throws protocol::Error.
  void keep();

 private:
  /// Begins at a frame.
  struct Chunk {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::string bytes;                          ///< If it is in memory.
    std::optional<std::uint64_t> file_at = {};  ///< Its offset, if it is in the file.
  };

  std::string_view bytes_of(const Chunk& chunk);

  std::deque<Chunk> chunks_;
  std::uint64_t end_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t most_in_memory_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t in_memory_ = 0;
  SpoolFile file_;
  std::uint64_t loaded_at_ = 0;  ///< `begin` of the chunk of the file that `loaded_` holds.
  std::string loaded_;
};

}  // namespace adarun::launcher::protocol
