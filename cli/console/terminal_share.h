// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

namespace adarun::cli {

/// Decides which output of the ranks to show on a terminal. A terminal slower than the ranks would lag
/// further and further behind, and the effect of Ctrl-C would be visible only minutes later. So output of
/// ranks that print too much is left out, while ranks that print little are still shown. Passive.
class TerminalShare {
 public:
  using Clock = std::chrono::steady_clock;

  /// When `room` or more bytes wait to be written, only ranks that print at most `little` bytes per `beat`
  /// are shown; from `most` bytes on, none.
  static constexpr std::size_t room = 128U << 10U;
  static constexpr std::size_t most = 1U << 20U;
  static constexpr std::size_t little = 4U << 10U;
  static constexpr std::chrono::milliseconds beat{100};
  static constexpr std::chrono::seconds between_notices{1};

  /// Whether to show lines of a rank, `bytes` long, while `waiting` bytes wait to be written.
  bool takes(std::uint32_t rank, std::size_t bytes, std::size_t waiting, Clock::time_point now);

  /// A line for the user about what was left out since the last notice; empty if nothing was, or if the last
  /// notice was less than `between_notices` ago.
  std::string take_notice(Clock::time_point now);

  /// The same, without the time limit.
  std::string last_notice();

 private:
  std::unordered_map<std::uint32_t, std::size_t> printed_;  ///< Bytes by rank, in this beat.
  Clock::time_point next_beat_{};
  Clock::time_point next_notice_{};
  std::size_t left_out_ = 0;
  std::set<std::uint32_t> whose_;
};

}  // namespace adarun::cli
