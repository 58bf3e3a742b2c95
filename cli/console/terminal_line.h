// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace adarun::cli {

/// One line of a terminal that is written over and over, and is gone in the end.
class TerminalLine {
 public:
  /// Shows nothing where stderr is no terminal; `out` leads there.
  explicit TerminalLine(std::FILE* out);
  ~TerminalLine() { clear(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  /// Whether show() would write now: not more often than a reader can follow.
  bool due() const { return is_terminal_ && Clock::now() >= next_; }

  /// Writes it, where that is due.
  void show(const std::string& text);

  /// Takes it away, before something else is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* out_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point next_;
};

/// "[#####.....]": how much of it is done.
std::string progress_bar(std::uint64_t done, std::uint64_t all);

}  // namespace adarun::cli
