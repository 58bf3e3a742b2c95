// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher {

class Suspension;
struct JobContext;

/// The longest wait before a restart.
inline constexpr std::chrono::minutes longest_restart_delay{1};

/// The wait before restart `number`, from 1: `first`, doubled for each further one. If `first` is zero, a
/// second before the second one.
std::chrono::milliseconds restart_delay(int number, std::chrono::milliseconds first);

/// When ranks that the others continue without, or whose role has restarts, are started again: at once, but a
/// rank that ends soon after that, or does not come back at all, later and later (restart_delay()). Passive.
class RankRestarts {
 public:
  using Clock = std::chrono::steady_clock;

  /// Not soon: a rank that has been back for so long has not come in vain.
  static constexpr std::chrono::seconds long_enough{2};

  /// `most`: of all ranks together.
  RankRestarts(std::size_t ranks, std::size_t most) : left_{most}, ranks_(ranks) {}

  /// `most`: of each role, for all its ranks together. `role_of_rank`: index into it, by rank.
  RankRestarts(const std::vector<std::uint32_t>& role_of_rank, std::vector<std::size_t> most);

  /// A rank has ended: returns after what time it is started again; nothing if no restart is left.
  std::optional<std::chrono::milliseconds> plan(std::uint32_t rank, Clock::time_point now);

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

  /// The orders that are due.
  std::vector<protocol::StartAgain> take_due(Clock::time_point now);

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

  std::vector<std::size_t> left_;  ///< By role.
  std::vector<Rank> ranks_;
  std::multimap<Clock::time_point, std::uint32_t> due_;
};

/// Tells nodes to start ranks again, as often and as late as RankRestarts decides, but none while all
/// processes are suspended. Call while the job runs. Passive. Borrows the constructor's arguments.
class RestartOrders {
 public:
  using Clock = std::chrono::steady_clock;

  RestartOrders(const JobContext& context, const Suspension& suspension)
      : context_(context), suspension_(suspension) {}

  /// A rank has ended. Returns the end of a sentence which says that it is started again, and when; empty if
  /// it is not.
  std::string plan(std::uint32_t rank, Clock::time_point now);

  /// Gives the orders that are due.
  void give(Clock::time_point now);

  /// When the next one is due.
  std::optional<Clock::time_point> deadline() const;

 private:
  bool may_start(std::uint32_t rank) const;

  const JobContext& context_;
  const Suspension& suspension_;
};

}  // namespace adarun::launcher
