// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
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
  bool most_others_continued(Clock::time_point now) const;

  std::chrono::milliseconds timeout_;
  std::vector<Rank> ranks_;
  Clock::time_point held_up_{};
};

/// Detects that a job hangs: no running rank has printed anything for the timeout. Ranks that synchronize go
/// silent together, so the one furthest behind blocks the others. Also detects single ranks that stay behind
/// while the others continue (see Heartbeats), by their lines or by their steps. Passive.
class HangWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Without a timeout, hangs are not detected.
  HangWatch(std::size_t world_size, std::optional<std::chrono::milliseconds> timeout);

  /// Whether it has a timeout.
  bool is_on() const { return timeout_.has_value(); }

  /// The job does not wait for this rank: whether it prints says nothing.
  void leave_out(std::uint32_t rank) { left_out_.insert(rank); }

  /// The rank is to be started, or has started.
  void start(std::uint32_t rank, Clock::time_point now);
  void hear(std::uint32_t rank, std::string_view bytes, Clock::time_point now);

  /// Sets the last known step of a rank.
  void step(std::uint32_t rank, std::optional<std::uint64_t> step, Clock::time_point now);

  /// Time has passed since the last call. `held_up`: output may have been waiting unread for all of it. That
  /// is no silence, and what waits gets time to be read.
  void advance(Clock::time_point now, bool held_up);

  void end(std::uint32_t rank);

  /// When the job counts as hanging unless a rank prints before; nullopt if no rank runs.
  std::optional<Clock::time_point> deadline() const;

  /// The running ranks, furthest behind first: by step, unknown steps last, then by number of lines, then by
  /// time of their last output.
  std::vector<std::uint32_t> suspects() const;

  /// When to call take_stragglers() next; nullopt if no rank runs.
  std::optional<Clock::time_point> next_look() const;

  /// A rank that stays behind while the others continue.
  struct Straggler {
    std::uint32_t rank = 0;
    bool prints = false;  ///< It still prints, but makes no step.

    bool operator==(const Straggler&) const = default;
  };

  /// The current stragglers; each rank is returned only once.
  std::vector<Straggler> take_stragglers(Clock::time_point now);

  /// Time since a running rank's last output, and since its last step.
  std::chrono::milliseconds silence(std::uint32_t rank, Clock::time_point now) const;
  std::chrono::milliseconds since_step(std::uint32_t rank, Clock::time_point now) const;

  std::optional<std::uint64_t> step_of(std::uint32_t rank) const;

 private:
  struct Rank {
    Clock::time_point heard;  ///< Last output, else the start.
    std::uint64_t lines = 0;
    std::optional<std::uint64_t> step = {};
  };

  std::optional<std::chrono::milliseconds> timeout_;
  std::vector<std::optional<Rank>> running_;  ///< Empty if the rank does not run.
  std::size_t count_ = 0;                     ///< Of running ranks.
  Clock::time_point last_heard_{};            ///< Of any rank; later by what is no silence.
  Clock::time_point advanced_{};              ///< Last call of advance().
  Heartbeats lines_;
  Heartbeats steps_;
  Clock::time_point last_look_{};
  std::set<std::uint32_t> told_;  ///< Stragglers already returned.
  std::set<std::uint32_t> left_out_;
};

}  // namespace adarun::launcher
