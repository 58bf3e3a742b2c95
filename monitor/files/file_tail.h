// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "monitor/files/gunzip.h"

namespace adarun::monitor {

/// Reads a file that grows, each byte once. Holds no descriptor between reads, so thousands can be followed.
/// A file that became shorter, or was replaced by another of its name, is read from its beginning; what was
/// still unread of one that was renamed, "train.log" to "train.log.1" as log rotation does, comes first. One
/// that is truncated and grows past the old place between two looks cannot be told from one that grew. A file
/// whose name ends in ".gz" is unpacked on the way.
class FileTail {
 public:
  explicit FileTail(std::filesystem::path path);

  enum class Change { none, grown, restarted };

  /// Puts the bytes that came since into `bytes`, at most `max_bytes`. With `restarted` they are the file's
  /// first. A file that is not there (yet, or any more) has no news, which leaves `bytes` empty. Throws Error
  /// on one that cannot be read.
  Change read(std::string& bytes, std::size_t max_bytes = default_max_bytes);

  /// Leaves out what is there now but for its last `lines` lines.
  void skip_to_last(std::uint64_t lines);

  /// Where in the file the next byte to be read is.
  std::uint64_t offset() const { return offset_; }

  const std::filesystem::path& path() const { return path_; }

  static constexpr std::size_t default_max_bytes = 1U << 20U;

 private:
  bool read_rest_of_renamed(std::string& bytes, std::size_t max_bytes);
  void read_from(const std::filesystem::path& path, std::uint64_t size, std::string& bytes,
                 std::size_t max_bytes);
  void begin_anew();
  void skip_to_last_of_packed(std::uint64_t lines);

  std::filesystem::path path_;
  std::uint64_t offset_ = 0;  ///< In the file as it lies on disk.
  ino_t inode_ = 0;
  std::optional<Gunzip> gunzip_;  ///< Of a packed file.
  std::uint64_t left_out_ = 0;    ///< Unpacked bytes that are still to be left out.
};

}  // namespace adarun::monitor
