// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "launcher/job/heartbeats.h"

namespace adarun::launcher {

/// Tells when a job hangs: none of the ranks that run has printed anything for a while. Ranks that work in
/// step fall silent together, so it is the one furthest behind that holds up the others. Tells as well of
/// single ranks that stay behind while the others go on (see Heartbeats), by their lines or by their steps.
/// Passive.
class HangWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Without a timeout nothing hangs.
  HangWatch(std::size_t world_size, std::optional<std::chrono::milliseconds> timeout);

  /// Whether it has a timeout.
  bool is_on() const { return timeout_.has_value(); }

  void start(std::uint32_t rank, Clock::time_point now);
  void hear(std::uint32_t rank, std::string_view bytes, Clock::time_point now);

  /// The last step of a rank, as it is known now.
  void step(std::uint32_t rank, std::optional<std::uint64_t> step, Clock::time_point now);

  /// Output may wait to be taken in: silence counts from now.
  void held_up(Clock::time_point now);

  void end(std::uint32_t rank);

  /// When the job hangs unless a rank is heard before; nothing where none runs.
  std::optional<Clock::time_point> deadline() const;

  /// The ranks that run, those furthest behind first: by step, unknown ones last, then by when they were
  /// heard.
  std::vector<std::uint32_t> suspects() const;

  /// When to ask for stragglers next; nothing where none runs.
  std::optional<Clock::time_point> next_look() const;

  /// A rank that stays behind while the others go on.
  struct Straggler {
    std::uint32_t rank = 0;
    bool prints = false;  ///< It still prints, but makes no step.

    bool operator==(const Straggler&) const = default;
  };

  /// Those that there are now; each is told once.
  std::vector<Straggler> take_stragglers(Clock::time_point now);

  /// For how long a rank that runs has been silent, and since its last step.
  std::chrono::milliseconds silence(std::uint32_t rank, Clock::time_point now) const;
  std::chrono::milliseconds since_step(std::uint32_t rank, Clock::time_point now) const;

  std::optional<std::uint64_t> step_of(std::uint32_t rank) const;

 private:
  struct Rank {
    Clock::time_point heard;  ///< Or started.
    std::uint64_t lines = 0;
    std::optional<std::uint64_t> step = {};
  };

  std::optional<std::chrono::milliseconds> timeout_;
  std::vector<std::optional<Rank>> running_;  ///< Empty where a rank does not run.
  std::size_t count_ = 0;                     ///< Of those that run.
  Clock::time_point last_heard_{};            ///< Of any.
  Heartbeats lines_;
  Heartbeats steps_;
  Clock::time_point last_look_{};
  std::set<std::uint32_t> told_;  ///< Stragglers.
};

}  // namespace adarun::launcher
