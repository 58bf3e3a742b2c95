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

/// A stream of frames on its way to the other side, kept until the other side says that it has them: so they
/// can be sent again over another connection. Positions count bytes from the first one ever appended. What
/// goes beyond the memory it is allowed goes to a file, where it has one. Not thread-safe.
class Spool {
 public:
  /// From now on at most `memory_bytes` stay in memory and `file_bytes` go to `file`, which is made when it
  /// is needed.
  void spill(std::string file, std::uint64_t memory_bytes, std::uint64_t file_bytes);

  /// Adds whole frames. Always takes them, also beyond its bounds: see has_room.
  void append(std::string frames);

  /// Whether the bounds allow for more.
  bool has_room() const;

  /// Some of the bytes to send next; empty: all were sent. Good until the next call. Throws protocol::Error
  /// where the file cannot be read.
  std::string_view unsent();

  /// So many of them were sent.
  void sent(std::size_t bytes) { sent_ += bytes; }

  /// The other side has everything before `position`.
  void acknowledge(std::uint64_t position);

  /// Sends again from `position`. Throws protocol::Error where it is not kept (any more).
  void rewind(std::uint64_t position);

  std::uint64_t end_position() const { return end_; }
  std::uint64_t sent_position() const { return sent_; }
  std::uint64_t acknowledged_position() const { return acknowledged_; }
  std::uint64_t unsent_bytes() const { return end_ - sent_; }
  std::uint64_t kept_bytes() const { return end_ - acknowledged_; }

  /// Writes all that is kept to the file, for a later KeptStream. Throws protocol::Error.
  void keep();

 private:
  /// Begins with a frame.
  struct Chunk {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::string bytes;                          ///< Where it is in memory.
    std::optional<std::uint64_t> file_at = {};  ///< Where it is in the file.
  };

  std::string_view bytes_of(const Chunk& chunk);

  std::deque<Chunk> chunks_;
  std::uint64_t end_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t most_in_memory_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t in_memory_ = 0;
  SpoolFile file_;
  std::uint64_t loaded_at_ = 0;  ///< Which chunk of the file `loaded_` is, by its begin.
  std::string loaded_;
};

}  // namespace adarun::launcher::protocol
