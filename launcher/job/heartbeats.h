// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace adarun::launcher {

/// Signs of one kind that come from ranks again and again (lines, or steps), and which rank misses in them.
/// A rank is missed that was regular (for two timeouts no gap between its signs was longer than one), and has
/// given none for a timeout while more than half of the others went on. So none is missed where one rank
/// speaks for all, nor where all wait together. Passive.
class Heartbeats {
 public:
  using Clock = std::chrono::steady_clock;

  Heartbeats(std::size_t world_size, std::chrono::milliseconds timeout)
      : timeout_(timeout), ranks_(world_size) {}

  /// The rank begins anew, and has given no sign.
  void start(std::uint32_t rank);
  void end(std::uint32_t rank);

  void beat(std::uint32_t rank, Clock::time_point now);

  /// Signs may wait to be taken in: no gap is counted that began before.
  void held_up(Clock::time_point now) { held_up_ = now; }

  /// When the last sign came; nothing where none has.
  std::optional<Clock::time_point> last(std::uint32_t rank) const;

  std::vector<std::uint32_t> missed(Clock::time_point now) const;

 private:
  struct Pulse {
    Clock::time_point since;  ///< From here to `last` no gap was too long.
    Clock::time_point last;
  };
  struct Rank {
    bool runs = false;
    std::optional<Pulse> pulse;
  };

  /// How long a rank has been heard of no more.
  Clock::duration gap(const Pulse& pulse, Clock::time_point now) const;
  bool most_others_went_on(Clock::time_point now) const;

  std::chrono::milliseconds timeout_;
  std::vector<Rank> ranks_;
  Clock::time_point held_up_{};
};

}  // namespace adarun::launcher
