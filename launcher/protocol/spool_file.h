// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"

namespace adarun::launcher::protocol {

/// The file of a Spool: pieces of a stream, each with its position, in any order. Mode 0600, in a folder of
/// mode 0700; created with the first piece.
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

}  // namespace adarun::launcher::protocol
