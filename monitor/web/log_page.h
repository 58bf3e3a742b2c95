// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

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

}  // namespace adarun::monitor::web
