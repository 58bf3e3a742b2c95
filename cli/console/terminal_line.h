// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace adarun::cli {

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
