// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace adarun::monitor {

/// Reads a file that grows, each byte once. Holds no descriptor between reads, so thousands can be followed.
/// A file that became shorter, or was replaced by another of its name, is read from its beginning. One that
/// is truncated and grows past the old place between two looks cannot be told from one that grew.
class FileTail {
 public:
  explicit FileTail(std::filesystem::path path) : path_(std::move(path)) {}

  enum class News { none, grown, begun_anew };

  /// Puts the bytes that came since into `bytes`, at most `max_bytes`. With `begun_anew` they are the file's
  /// first. A file that is not there (yet, or any more) has no news. Throws Error on one that cannot be read.
  News read(std::string& bytes, std::size_t max_bytes = default_max_bytes);

  /// Leaves out what is there now but for its last `lines` lines.
  void skip_to_last(std::uint64_t lines);

  const std::filesystem::path& path() const { return path_; }

  static constexpr std::size_t default_max_bytes = 1U << 20U;

 private:
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;
  ino_t inode_ = 0;
};

}  // namespace adarun::monitor
