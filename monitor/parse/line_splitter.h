// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// Cuts bytes, in pieces as they came, into lines. A line ends with "\n", "\r\n" or, so that a progress bar
/// is seen while it moves, with "\r". Keeps only so many bytes of a line that has not ended; the rest of an
/// overlong line is dropped.
class LineSplitter {
 public:
  static constexpr std::size_t max_line_bytes = 64U << 10U;

  LineSplitter() = default;
  explicit LineSplitter(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Calls `line(std::string_view)` for each line that these bytes complete, without its end. Empty lines are
  /// left out. The view is valid during the call only.
  template <typename Line>
  void feed(std::string_view bytes, Line&& line) {
    while (!bytes.empty()) {
      const auto found =
          std::find_if(bytes.begin(), bytes.end(), [](char c) { return c == '\n' || c == '\r'; });
      const auto end = static_cast<std::size_t>(found - bytes.begin());
      const std::string_view piece = bytes.substr(0, end);
      if (found == bytes.end()) {
        keep(piece);
        return;
      }
      if (partial_.empty()) {
        if (!piece.empty()) line(piece.substr(0, most_bytes_));
      } else {
        keep(piece);
        line(std::string_view(partial_));
        partial_.clear();
      }
      bytes.remove_prefix(end + 1);
    }
  }

  /// Hands out a last line that has no end, when no more bytes will come.
  template <typename Line>
  void finish(Line&& line) {
    if (!partial_.empty()) line(std::string_view(partial_));
    partial_.clear();
  }

  /// Forgets the beginning of a line: its stream begins anew.
  void reset() { partial_.clear(); }

 private:
  void keep(std::string_view piece) { partial_.append(piece.substr(0, most_bytes_ - partial_.size())); }

  std::size_t most_bytes_ = max_line_bytes;
  std::string partial_;
};

}  // namespace adarun::monitor
