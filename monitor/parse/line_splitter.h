// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "monitor/parse/line_end.h"
#include "monitor/parse/whole_lines.h"

namespace adarun::monitor {

/// Cuts bytes, in pieces as they came, into lines as WholeLines has them. Of an overlong line only so many
/// bytes are handed out.
class LineSplitter {
 public:
  static constexpr std::size_t max_line_bytes = 64U << 10U;

  explicit LineSplitter(std::size_t most_bytes = max_line_bytes)
      : most_bytes_(most_bytes), whole_(most_bytes) {}

  /// Calls `line(std::string_view)` for each line that these bytes complete, without its end. Empty lines are
  /// left out. The view is valid during the call only.
  template <typename Line>
  void feed(std::string_view bytes, Line&& line) {
    whole_.feed(bytes, [&](std::string_view lines) { cut(lines, line); });
  }

  /// Hands out a last line that has no end, when no more bytes will come.
  template <typename Line>
  void finish(Line&& line) {
    whole_.finish([&](std::string_view lines) { cut(lines, line); });
  }

  /// Forgets the beginning of a line: its stream begins anew.
  void reset() { whole_.reset(); }

 private:
  template <typename Line>
  void cut(std::string_view lines, Line&& line) const {
    for (const char* at = lines.begin(); at != lines.end();) {
      const char* const end = std::find_if(at, lines.end(), [](char c) { return ends_line(c); });
      const auto length = static_cast<std::size_t>(end - at);
      if (length > 0) line(std::string_view(at, std::min(length, most_bytes_)));
      at = end + 1;
    }
  }

  std::size_t most_bytes_;
  WholeLines whole_;
};

}  // namespace adarun::monitor
