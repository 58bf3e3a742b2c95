// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "monitor/files/open_file.h"

namespace adarun::monitor {

/// Reads a file that grows, each byte once. Holds no descriptor between reads, so thousands of files can be
/// followed. A file that became shorter, or was replaced by another of the same name, is read from its
/// beginning. If the old file was renamed, from "train.log" to "train.log.1" as log rotation does, or its
/// folder, from "logs" to "logs.1" as adarun does between attempts, its unread rest is read first. A log that
/// adarun shortens in the middle (--log-limit) is read on behind what was read last. A file that was
/// truncated and has grown past the old offset since is known by its bytes before that offset. A file whose
/// name ends in ".gz" is unpacked.
class FileTail {
 public:
  /// Begins after `skipped` bytes of what a ".gz" file has when unpacked.
  explicit FileTail(std::filesystem::path path, Links links = Links::followed, std::uint64_t skipped = 0);

  enum class Change { none, grown, restarted };

  /// Replaces `bytes` by at most `max_bytes` new bytes. With `restarted` they are the first of the file. If
  /// the file does not exist, or has nothing new, `bytes` is empty. Throws Error if it cannot be read.
  Change read(std::string& bytes, std::size_t max_bytes = default_max_bytes);

  /// From now on, until proceed(), read() gives nothing that is written later. So a reader that is slower
  /// than the writer comes to an end.
  void stop_at_present_end();
  void proceed() { end_.reset(); }

  /// Skips the present content except its last `lines` lines.
  void skip_to_last(std::uint64_t lines);

  /// The offset of the next byte to read, in what the file has when unpacked.
  std::uint64_t offset() const { return gunzip_ ? unpacked_ : offset_; }

  const std::filesystem::path& path() const { return path_; }

  static constexpr std::size_t default_max_bytes = 1U << 20U;

 private:
  bool is_as_before(std::uint64_t size) const;
  bool continues_in_shortened(std::uint64_t size);
  bool read_rest_of_renamed(std::string& bytes, std::size_t max_bytes);
  bool read_if_old(const std::filesystem::path& path, std::string& bytes, std::size_t max_bytes);
  void read_from(const std::filesystem::path& path, std::uint64_t size, std::string& bytes,
                 std::size_t max_bytes);
  void begin_anew();
  void skip_to_last_of_packed(std::uint64_t lines);

  std::filesystem::path path_;
  Links links_;
  std::uint64_t offset_ = 0;  ///< In the file on disk, which may be compressed.
  ino_t inode_ = 0;
  std::optional<std::uint64_t> end_;  ///< Offset in the file on disk behind which nothing is read.
  std::optional<Gunzip> gunzip_;      ///< Set for a ".gz" file.
  std::uint64_t unpacked_ = 0;        ///< How many bytes it has given.
  std::uint64_t left_out_ = 0;        ///< Unpacked bytes still to be skipped.
  std::string last_read_;             ///< The last bytes of what was read.
};

}  // namespace adarun::monitor
