// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"

namespace adarun::launcher::protocol {

/// The file of a Spool: pieces of a stream, each with its position, in any order. Mode 0600, in a folder of
/// mode 0700; created with the first piece, and locked (flock(2)) from then on.
class SpoolFile {
 public:
  SpoolFile() = default;
  SpoolFile(std::string path, std::uint64_t most_bytes) : path_(std::move(path)), most_bytes_(most_bytes) {}

  const std::string& path() const { return path_; }

  /// Adds a piece and returns its offset in the file; nothing if it cannot be written, and then the file
  /// accepts no more until clear(). Does not check most_bytes.
  std::optional<std::uint64_t> append(std::uint64_t position, std::string_view bytes);

  bool has_room() const { return !path_.empty() && !broken_ && end_ < most_bytes_; }

  /// The bytes of a piece. Throws protocol::Error.
  std::string read(std::uint64_t at, std::uint64_t size) const;

  /// Drops all pieces.
  void clear();

 private:
  bool open();

  std::string path_;
  std::uint64_t most_bytes_ = 0;
  std::uint64_t end_ = 0;
  bool broken_ = false;
  base::FileDescriptor fd_;
};

/// Reads back the file of a Spool: the last pieces that follow each other without a gap, in order.
class KeptStream {
 public:
  /// Throws protocol::Error if the file exists but cannot be read, was cut short, or belongs to another user.
  /// Empty if there is none.
  explicit KeptStream(const std::string& path);

  bool found() const { return static_cast<bool>(fd_); }

  /// The next piece, which begins with a frame; nothing at the end. Throws protocol::Error.
  std::optional<std::string> next();

 private:
  struct Piece {
    std::uint64_t position = 0;
    std::uint64_t at = 0;
    std::uint64_t size = 0;
  };

  void find_pieces();

  std::string path_;
  base::FileDescriptor fd_;
  std::vector<Piece> pieces_;
  std::size_t next_ = 0;
};

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
