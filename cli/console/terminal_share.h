// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

namespace adarun::cli {

/// What of the ranks' output a terminal is given. One that is slower than they are would be ever further
/// behind, so that a Ctrl-C would not be seen for minutes: it is spared what ranks print too much of, while
/// those that print little are shown all the same. Passive.
class TerminalShare {
 public:
  using Clock = std::chrono::steady_clock;

  /// From `room` bytes that wait to be written on, only ranks that print at most `little` bytes in a `beat`
  /// are shown; beyond `most`, none.
  static constexpr std::size_t room = 128U << 10U;
  static constexpr std::size_t most = 1U << 20U;
  static constexpr std::size_t little = 4U << 10U;
  static constexpr std::chrono::milliseconds beat{100};
  static constexpr std::chrono::seconds between_notices{1};

  /// Whether these lines of a rank are to be shown, while `waiting` bytes are yet to be written.
  bool takes(std::uint32_t rank, std::size_t bytes, std::size_t waiting, Clock::time_point now);

  /// What was left out since the last notice, a line for the user; empty where nothing was, and most of the
  /// time.
  std::string take_notice(Clock::time_point now);

  /// The same, whenever it is called.
  std::string last_notice();

 private:
  std::unordered_map<std::uint32_t, std::size_t> printed_;  ///< In this beat.
  Clock::time_point next_beat_{};
  Clock::time_point next_notice_{};
  std::size_t left_out_ = 0;
  std::set<std::uint32_t> whose_;
};

}  // namespace adarun::cli
