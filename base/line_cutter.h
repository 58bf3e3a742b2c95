// SPDX-License-Identifier: Apache-2.0
// Where lines end, for all that cuts the output of programs into lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::base {

/// What ends a line.
enum class LineEnd {
  newline,            ///< "\n" alone: for output that is passed on byte by byte.
  newline_or_return,  ///< "\r" too: each state of a progress bar is a line. "\r\n" ends a line and an empty
                      ///< one.
};

/// What becomes of a line that is longer than a LineCutter may hold.
enum class Overlong {
  truncated,  ///< The rest is dropped.
  split,      ///< It is given in pieces, each with an end of its own.
};

struct LineRules {
  LineEnd end = LineEnd::newline;
  Overlong overlong = Overlong::split;
  std::size_t max_bytes = 64U << 10U;  ///< What is held of a line whose end has not come.
};

/// How lines are cut that are read for what they say: `monitor`, the live view and `status` agree.
inline constexpr LineRules log_lines{LineEnd::newline_or_return, Overlong::truncated, 64U << 10U};

inline bool ends_line(char c, LineEnd end) {
  return c == '\n' || (end == LineEnd::newline_or_return && c == '\r');
}

/// The length of the line that `text` begins with, without its end; all of it where it has none.
inline std::size_t line_length(std::string_view text, LineEnd end) {
  text = text.substr(0, text.find('\n'));  // Each is one fast search; one for both is slow.
  return end == LineEnd::newline ? text.size() : std::min(text.find('\r'), text.size());
}

/// Calls `take(std::string_view)` with each line of `lines`, its end included. In time proportional to
/// `lines`.
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

/// The last of some whole lines that is not empty, without its end; empty where there is none.
inline std::string_view last_line(std::string_view lines, LineEnd end) {
  while (!lines.empty() && ends_line(lines.back(), end)) lines.remove_suffix(1);
  std::size_t begin = lines.size();
  while (begin > 0 && !ends_line(lines[begin - 1], end)) --begin;
  return lines.substr(begin);
}

/// Makes whole lines of bytes that come in pieces: the beginning of a line is held back until its end has
/// come. Bytes are otherwise as they were. Whole lines are not copied. All views are valid during the call
/// only.
class LineCutter {
 public:
  explicit LineCutter(const LineRules& rules) : rules_(rules) {}

  /// Calls `take(std::string_view)` with the lines that these bytes complete, each with its end: once for a
  /// line that was held back, once for all others.
  template <typename Take>
  void feed(std::string_view bytes, Take&& take) {
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
    if (rules_.overlong == Overlong::split && held_.size() >= rules_.max_bytes) finish(take);
  }

  /// Gives what is held back as a line, with an end added, when no more bytes will come.
  template <typename Take>
  void finish(Take&& take) {
    if (held_.empty()) return;
    held_ += '\n';
    give(take);
  }

  /// The same line by line: calls `take` with each without its end, of overlong ones their first bytes. Empty
  /// lines are left out.
  template <typename Take>
  void feed_each(std::string_view bytes, Take&& take) {
    feed(bytes, [&](std::string_view lines) { give_each(lines, take); });
  }
  template <typename Take>
  void finish_each(Take&& take) {
    finish([&](std::string_view lines) { give_each(lines, take); });
  }

  /// Forgets the beginning of a line: its stream begins anew.
  void reset() { held_.clear(); }

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
};

}  // namespace adarun::base
