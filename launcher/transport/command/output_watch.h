// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::launcher {

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
