// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace adarun::monitor::web {

/// Which lines of a log are wanted.
struct LogQuery {
  enum class Direction { before, after };

  std::uint64_t at = 0;  ///< A byte of the file; beyond its end means its end.
  Direction direction = Direction::before;
  std::size_t lines = 200;
  std::string find;  ///< Only lines with this text, whatever the case of ASCII letters; empty: all.
};

/// Some lines of a log, in their order.
struct LogPage {
  struct Line {
    std::uint64_t at = 0;     ///< Where it begins.
    std::uint64_t bytes = 0;  ///< Its length without its end.
    std::string text;  ///< As base::clean_text gives it; cut off at `most_line_bytes` bytes of the line.
  };

  std::uint64_t size = 0;  ///< Of the file.
  std::uint64_t from = 0;  ///< What was looked through...
  std::uint64_t to = 0;    ///< ... up to here. Going on means asking for what is before or after it.
  std::vector<Line> lines;
};

inline constexpr std::size_t most_line_bytes = 4096;
inline constexpr std::size_t most_page_lines = 2000;

/// At most this much of a file is looked through for one page.
inline constexpr std::uint64_t most_page_bytes = 32U << 20U;

/// Reads lines of a log that is no larger in memory than a page, however large the file or a line of it. Only
/// "\n" ends a line here. Throws Error where the file cannot be read.
LogPage read_page(const std::filesystem::path& path, const LogQuery& query);

}  // namespace adarun::monitor::web
