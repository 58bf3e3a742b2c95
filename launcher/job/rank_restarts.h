// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace adarun::launcher {

class Suspension;
struct JobContext;

/// The wait before restart `number`, from 1: `first`, doubled for each further one, a minute at most. If
/// `first` is zero, a second before the second one.
std::chrono::milliseconds restart_delay(int number, std::chrono::milliseconds first);

/// Has nodes start ranks again that the others continue without, or whose role has restarts: at once, but a
/// rank that ends soon after that, or does not come back at all, later and later (restart_delay()), and none
/// while all processes are suspended. Passive. Borrows the constructor's arguments.
class RankRestarts {
 public:
  using Clock = std::chrono::steady_clock;

  /// As often as the options of the job's plan allow: all ranks together, or those of a role.
  RankRestarts(const JobContext& context, const Suspension& suspension);

  /// A rank has ended while the job runs. Returns the end of a sentence which says that it is started again,
  /// and when; empty if it is not.
  std::string plan(std::uint32_t rank, Clock::time_point now);

  /// A rank that was started again is with the others, or runs, where there is nothing to come back to.
  void come_back(std::uint32_t rank, Clock::time_point now) {
    ranks_[rank].back_since = now;
    ranks_[rank].is_awaited = false;
  }

  /// A rank is started again on another node, in the place of its own: that does not count. Returns how often
  /// it is started again, with this time.
  std::uint32_t move(std::uint32_t rank);

  /// Whether the rank has been started again, or is going to be.
  bool has(std::uint32_t rank) const { return ranks_[rank].restarts > 0; }

  /// How many are left for this rank and those that share its restarts.
  std::size_t left(std::uint32_t rank) const { return left_[ranks_[rank].role]; }

  /// Whether its restart is planned, and it has not come back yet.
  bool is_awaited(std::uint32_t rank) const { return ranks_[rank].is_awaited; }

  /// Gives the orders that are due. Call while the job runs.
  void give(Clock::time_point now);

  /// When the next one is due.
  std::optional<Clock::time_point> deadline() const;

 private:
  struct Rank {
    std::uint32_t role = 0;
    std::uint32_t restarts = 0;
    int in_vain = 0;  ///< Of these, the last ones.
    bool is_awaited = false;
    std::optional<Clock::time_point> back_since;
  };

  bool may_start(std::uint32_t rank) const;

  const JobContext& context_;
  const Suspension& suspension_;
  std::vector<std::size_t> left_;  ///< By role.
  std::vector<Rank> ranks_;
  std::multimap<Clock::time_point, std::uint32_t> due_;
};

}  // namespace adarun::launcher
