// SPDX-License-Identifier: Apache-2.0
// Cuts the output of programs into lines: the rules that all readers share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::base {

/// What ends a line.
enum class LineEnd {
  newline,            ///< "\n" alone: for output that is passed on byte by byte.
  newline_or_return,  ///< "\r" too: each state of a progress bar is a line. "\r\n" ends a line, then an empty
                      ///< one.
};

/// What happens to a line that is longer than a LineCutter may hold.
enum class Overlong {
  truncated,  ///< The rest is dropped.
  split,      ///< It is passed on in pieces, each with a line end; its own end adds none to the last one.
  unchanged,  ///< It is passed on in pieces, without line ends; so is a last line without end.
};

struct LineRules {
  LineEnd end = LineEnd::newline;
  Overlong overlong = Overlong::split;
  std::size_t max_bytes = 64U << 10U;  ///< Most bytes held of a line whose end has not come.
};

/// The rules for lines whose text is parsed or shown: `monitor`, the live view and `status` use the same.
inline constexpr LineRules log_lines{LineEnd::newline_or_return, Overlong::truncated, 64U << 10U};

inline bool ends_line(char c, LineEnd end) {
  return c == '\n' || (end == LineEnd::newline_or_return && c == '\r');
}

/// The length of the first line of `text`, without its end; all of `text` if it has no line end.
inline std::size_t line_length(std::string_view text, LineEnd end) {
  text = text.substr(0, text.find('\n'));  // Two one-character searches: faster than one for both.
  return end == LineEnd::newline ? text.size() : std::min(text.find('\r'), text.size());
}

/// Calls `take(std::string_view)` with each line of `lines`, its end included. Takes time linear in `lines`.
template <typename Take>
void for_each_line(std::string_view lines, LineEnd end, Take&& take) {
  while (!lines.empty()) {
    std::string_view row = lines.substr(0, std::min(lines.find('\n'), lines.size() - 1) + 1);
    lines.remove_prefix(row.size());
    while (end == LineEnd::newline_or_return && !row.empty()) {
      const std::size_t at = row.find('\r');
      if (at == std::string_view::npos) break;
      take(row.substr(0, at + 1));
      row.remove_prefix(at + 1);
    }
    if (!row.empty()) take(row);
  }
}

/// The last non-empty line of `lines`, which are whole, without its end; empty if there is none.
inline std::string_view last_line(std::string_view lines, LineEnd end) {
  while (!lines.empty() && ends_line(lines.back(), end)) lines.remove_suffix(1);
  std::size_t begin = lines.size();
  while (begin > 0 && !ends_line(lines[begin - 1], end)) --begin;
  return lines.substr(begin);
}

/// Assembles whole lines from bytes that come in pieces: the beginning of a line is held until its end has
/// come. Bytes are otherwise unchanged. Whole lines are not copied. All views are valid during the call only.
class LineCutter {
 public:
  explicit LineCutter(const LineRules& rules) : rules_(rules) {}

  /// Calls `take(std::string_view)` with the lines that these bytes complete, each with its end: one call for
  /// a line that was held, one for all others.
  template <typename Take>
  void feed(std::string_view bytes, Take&& take) {
    if (ended_by_us_ && !bytes.empty()) {
      if (ends_line(bytes.front(), rules_.end)) bytes.remove_prefix(1);
      ended_by_us_ = false;
    }
    if (!held_.empty()) {
      const std::size_t length = line_length(bytes, rules_.end);
      hold(bytes.substr(0, length));
      bytes.remove_prefix(length);
      if (!bytes.empty()) {
        held_ += bytes.front();
        bytes.remove_prefix(1);
        give(take);
      }
    }
    std::size_t whole = bytes.size();
    while (whole > 0 && !ends_line(bytes[whole - 1], rules_.end)) --whole;
    if (whole > 0) take(bytes.substr(0, whole));
    hold(bytes.substr(whole));
    if (rules_.overlong != Overlong::truncated && held_.size() >= rules_.max_bytes) {
      finish(take);
      ended_by_us_ = rules_.overlong == Overlong::split;
    }
  }

  /// Passes on what is held as a line when no more bytes will come: with an end added, unless the rules leave
  /// it unchanged.
  template <typename Take>
  void finish(Take&& take) {
    if (held_.empty()) return;
    if (rules_.overlong != Overlong::unchanged) held_ += '\n';
    give(take);
  }

  /// The same line by line: calls `take` with each line without its end; of overlong lines only the first
  /// bytes. Empty lines are left out.
  template <typename Take>
  void feed_each(std::string_view bytes, Take&& take) {
    feed(bytes, [&](std::string_view lines) { give_each(lines, take); });
  }
  template <typename Take>
  void finish_each(Take&& take) {
    finish([&](std::string_view lines) { give_each(lines, take); });
  }

  /// Drops what is held: the stream starts again.
  void reset() {
    held_.clear();
    ended_by_us_ = false;
  }

 private:
  void hold(std::string_view piece) {
    const bool truncates = rules_.overlong == Overlong::truncated;
    held_.append(truncates ? piece.substr(0, rules_.max_bytes - held_.size()) : piece);
  }

  template <typename Take>
  void give(Take&& take) {
    take(std::string_view(held_));
    held_.clear();
  }

  template <typename Take>
  void give_each(std::string_view lines, Take&& take) const {
    for_each_line(lines, rules_.end, [&](std::string_view line) {
      const std::size_t length = std::min(line.size() - 1, rules_.max_bytes);
      if (length > 0) take(line.substr(0, length));
    });
  }

  LineRules rules_;
  std::string held_;
  bool ended_by_us_ = false;  ///< The last piece of a line was given an end that it does not have.
};

}  // namespace adarun::base
