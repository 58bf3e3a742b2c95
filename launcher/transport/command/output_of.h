// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// What a program of this machine prints on stdout, up to 1 MiB. Throws Error, with its stderr, if it cannot
/// be started, has not ended after `deadline`, or prints nothing or too much; it is then ended.
std::string output_of(const std::vector<std::string>& argv, std::chrono::milliseconds deadline);

/// Watches the beginning of what a command prints on stdout, up to the first bytes of an agent. It keeps no
/// more than the last line, in part.
class OutputWatch {
 public:
  /// The most that may be printed before an agent answers.
  static constexpr std::size_t most_bytes = std::size_t{1} << 20U;

  /// Adds bytes that were printed. Throws Error if there were too many without an agent, or if an agent's
  /// first line ends in CR LF: something on the way, such as a terminal, alters the bytes.
  void take(std::string_view bytes);

  /// Whether an agent answers; further bytes are ignored.
  bool has_agent() const { return has_agent_; }

  /// Whether a line has ended in CR LF.
  bool has_carriage_returns() const { return has_carriage_returns_; }

 private:
  std::string tail_;
  std::size_t taken_bytes_ = 0;
  bool has_agent_ = false;
  bool has_carriage_returns_ = false;
};

}  // namespace adarun::launcher
