// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "monitor/files/open_file.h"

namespace adarun::monitor::web {

/// Which lines of a log to return.
struct LogQuery {
  enum class Direction { before, after };

  std::uint64_t at = 0;  ///< An offset in the file; beyond the end means the end.
  Direction direction = Direction::before;
  std::size_t lines = 200;
  std::string find;  ///< Only lines with this text, ignoring the case of ASCII letters; empty: all.
};

/// Some lines of a log, in order.
struct LogPage {
  struct Line {
    std::uint64_t at = 0;     ///< Its offset in the file.
    std::uint64_t bytes = 0;  ///< Its length without its end.
    std::string text;  ///< Cleaned by base::clean_text; cut off at `most_line_bytes` bytes of the line.
  };

  std::uint64_t size = 0;  ///< Size of the file.
  std::uint64_t from = 0;  ///< The part that was searched: from here...
  /// ... to here. Ask for what is before or after it to continue. A last line that has no end yet and does
  /// not match is not part of it: it may match when it is whole.
  std::uint64_t to = 0;
  std::vector<Line> lines;
};

inline constexpr std::size_t most_line_bytes = 4096;
inline constexpr std::size_t most_page_lines = 2000;

/// At most this many bytes of a file are searched for one page.
inline constexpr std::uint64_t most_page_bytes = 32U << 20U;

/// Reads lines of a log. Memory use is bounded by the page, however large the file or a line is. Only "\n"
/// ends a line here. Throws Error if the file cannot be read.
LogPage read_page(const std::filesystem::path& path, const LogQuery& query, Links links = Links::followed);

/// A compressed log (".gz") whose path has no symbolic link, unpacked to an unnamed temporary file.
class UnpackedLog {
 public:
  /// Throws Error if it cannot be read or unpacked, or is larger than `most_bytes` when unpacked.
  UnpackedLog(std::filesystem::path packed, std::uint64_t most_bytes);

  /// The path of its content; valid while this object lives.
  std::filesystem::path path() const;

  /// Whether `packed` is the same file and has not changed since.
  bool is_of(const std::filesystem::path& packed) const;

 private:
  std::filesystem::path packed_;
  struct stat status_;
  base::CFile file_;
};

/// Unpacked logs from which pages of lines are read. Each log is unpacked once, and again if it has changed;
/// the last few are kept. Thread-safe: a call waits while another one unpacks.
class UnpackedLogs {
 public:
  static constexpr std::uint64_t default_most_bytes = std::uint64_t{1} << 30U;
  static constexpr std::size_t most_kept = 2;

  explicit UnpackedLogs(std::uint64_t most_bytes = default_most_bytes) : most_bytes_(most_bytes) {}

  /// Throws as UnpackedLog does.
  std::shared_ptr<const UnpackedLog> unpack(const std::filesystem::path& packed);

 private:
  std::uint64_t most_bytes_;
  std::mutex mutex_;
  std::list<std::shared_ptr<const UnpackedLog>> kept_;  ///< Most recently used first.
};

}  // namespace adarun::monitor::web
