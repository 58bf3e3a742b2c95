// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace adarun::launcher {

/// Tracks heartbeats of ranks (output lines, or training steps) and finds ranks whose heartbeats stopped. A
/// rank is missed if it was regular (for two timeouts no gap between its beats was longer than one timeout),
/// and has given none for a timeout while more than half of the others continued. So no rank is missed if one
/// rank prints for all, or if all wait together. Passive.
class Heartbeats {
 public:
  using Clock = std::chrono::steady_clock;

  Heartbeats(std::size_t world_size, std::chrono::milliseconds timeout)
      : timeout_(timeout), ranks_(world_size) {}

  /// The rank has started, and has given no beat.
  void start(std::uint32_t rank);
  void end(std::uint32_t rank);

  void beat(std::uint32_t rank, Clock::time_point now);

  /// Beats may be waiting unread: gaps are counted from `now` at the earliest.
  void held_up(Clock::time_point now) { held_up_ = now; }

  /// Time of the last beat; nullopt if there was none.
  std::optional<Clock::time_point> last(std::uint32_t rank) const;

  std::vector<std::uint32_t> missed(Clock::time_point now) const;

 private:
  struct Pulse {
    Clock::time_point since;  ///< No gap from here to `last` was longer than the timeout.
    Clock::time_point last;
  };
  struct Rank {
    bool runs = false;
    std::optional<Pulse> pulse;
  };

  /// Time since the last beat, or since held_up() if later.
  Clock::duration gap(const Pulse& pulse, Clock::time_point now) const;
  bool most_others_went_on(Clock::time_point now) const;

  std::chrono::milliseconds timeout_;
  std::vector<Rank> ranks_;
  Clock::time_point held_up_{};
};

}  // namespace adarun::launcher
