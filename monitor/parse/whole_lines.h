// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "monitor/parse/line_end.h"

namespace adarun::monitor {

/// Holds back the beginning of a line until its end comes, so that others see whole lines only, however their
/// bytes were cut. A line ends with "\n", "\r\n" or, so that a progress bar is seen while it moves, with
/// "\r". Of a line that was held back only so many bytes are kept.
class WholeLines {
 public:
  explicit WholeLines(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Calls `lines(std::string_view)` with the whole lines that these bytes complete, each with its end: once
  /// for a line that had begun before, once for all others. The view is valid during the call only.
  template <typename Lines>
  void feed(std::string_view bytes, Lines&& lines) {
    if (!begun_.empty()) {
      const std::size_t length = line_length(bytes);
      keep(bytes.substr(0, length));
      if (length == bytes.size()) return;
      finish(lines);
      bytes.remove_prefix(length + 1);
    }
    std::size_t whole = bytes.size();
    while (whole > 0 && !ends_line(bytes[whole - 1])) --whole;
    if (whole > 0) lines(bytes.substr(0, whole));
    keep(bytes.substr(whole));
  }

  /// Takes a line that has no end for a whole one, when no more bytes will come.
  template <typename Lines>
  void finish(Lines&& lines) {
    if (begun_.empty()) return;
    begun_ += '\n';
    lines(std::string_view(begun_));
    begun_.clear();
  }

  /// Forgets the beginning of a line: its stream begins anew.
  void reset() { begun_.clear(); }

 private:
  void keep(std::string_view piece) { begun_.append(piece.substr(0, most_bytes_ - begun_.size())); }

  std::size_t most_bytes_;
  std::string begun_;
};

}  // namespace adarun::monitor
