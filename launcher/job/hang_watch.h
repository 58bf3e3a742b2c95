// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// Tells when a job hangs: none of the ranks that run has printed anything for a while. Ranks that work in
/// step fall silent together, so it is the one furthest behind that holds up the others. Passive.
class HangWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// The last step of a rank, where it is known.
  using StepOf = std::function<std::optional<std::uint64_t>(std::uint32_t)>;

  /// Without a timeout nothing hangs.
  HangWatch(std::size_t world_size, std::optional<std::chrono::milliseconds> timeout)
      : timeout_(timeout), running_(world_size) {}

  void start(std::uint32_t rank, Clock::time_point now);
  void hear(std::uint32_t rank, std::string_view bytes, Clock::time_point now);

  /// Output may wait to be taken in: silence counts from now.
  void held_up(Clock::time_point now) { last_heard_ = now; }

  void end(std::uint32_t rank);

  /// When the job hangs unless a rank is heard before; nothing where none runs.
  std::optional<Clock::time_point> deadline() const;

  /// The ranks that run, those furthest behind first: by step, unknown ones last, then by when they were
  /// heard.
  std::vector<std::uint32_t> suspects(const StepOf& step_of) const;

  /// For how long a rank that runs has been silent.
  std::chrono::milliseconds silence(std::uint32_t rank, Clock::time_point now) const;

 private:
  std::optional<std::chrono::milliseconds> timeout_;
  struct Rank {
    Clock::time_point heard;  ///< Or started.
    std::uint64_t lines = 0;
  };
  std::vector<std::optional<Rank>> running_;  ///< Empty where a rank does not run.
  std::size_t count_ = 0;                     ///< Of those that run.
  Clock::time_point last_heard_{};            ///< Of any.
};

}  // namespace adarun::launcher
