// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clean_text.h"

namespace adarun::cli {

/// Lines of aligned columns with two blanks between them and no trailing blanks. A column that has only
/// numbers below the first line is right-aligned. Every row must have as many texts as the first. Widths are
/// in characters, not bytes. The texts are made safe for a terminal by base::clean_line.
std::string columns(std::vector<std::vector<std::string>> rows);

/// Columns of the widest line of a text, where each code point takes one.
std::size_t widest_line(std::string_view text);

/// The width of the terminal that stdout is; none where it is no terminal, or does not say.
std::optional<std::size_t> terminal_columns();

/// A value of nlohmann's JSON for people and programs: indented, without control characters; bytes that are
/// not UTF-8 are replaced.
template <typename Json>
std::string json_text(const Json& json) {
  return base::escape_controls(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

/// A number in a format of printf with one %f, such as "%.1f GB/s".
std::string with_digits(const char* format, double value);

/// Writes all of `text` to stdout. Throws on failure.
void print_all(std::string_view text);

/// Says "wrote FILE" on stderr, as every command does that has written a file for the user, unless the file
/// is "-", which is stdout.
void say_written(const std::string& file);

/// How a word is highlighted on a terminal.
enum class AnsiStyle { bold, red, bold_red, green, yellow, cyan };

/// Highlights words if colour is wanted, else returns them unchanged.
class AnsiColors {
 public:
  explicit AnsiColors(bool wanted) : wanted_(wanted) {}

  std::string operator()(AnsiStyle style, const std::string& text) const;

 private:
  bool wanted_;
};

/// Whether to colour results. `choice`: the value of --color; "auto" means yes if they go to a terminal and
/// the variable NO_COLOR is unset or empty. `no_color`: its value, or null.
bool wants_color(const std::string& choice, const char* no_color, bool is_terminal);

/// A status line on a terminal that is overwritten with each update and cleared at the end.
class TerminalLine {
 public:
  /// Shows nothing if stderr is not a terminal. `out` must write to stderr.
  explicit TerminalLine(std::FILE* out);
  ~TerminalLine() { clear(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  /// Whether show() would write now; the rate is limited for readability.
  bool due() const { return is_terminal_ && Clock::now() >= next_; }

  /// Writes the line, if due.
  void show(const std::string& text);

  /// Clears the line, before something else is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* out_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point next_;
};

/// "[#####.....]": the fraction `done` of `all`.
std::string progress_bar(std::uint64_t done, std::uint64_t all);

}  // namespace adarun::cli
