// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// When ranks that the others go on without are started again. At once at first; a rank that ends again and
/// again before it has come back, later and later. Passive.
class RankRestarts {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds first_delay{1};  ///< Of a rank that did not come back.
  static constexpr std::chrono::seconds longest_delay{60};

  /// `most`: of all ranks together.
  RankRestarts(std::size_t ranks, std::size_t most) : left_(most), ranks_(ranks) {}

  /// A rank has ended: returns after what time it is started again; nothing if no restart is left.
  std::optional<std::chrono::seconds> plan(std::uint32_t rank, Clock::time_point now);

  /// A rank that was started again has joined the others.
  void come_back(std::uint32_t rank) { ranks_[rank].in_vain = 0; }

  /// How many are left.
  std::size_t left() const { return left_; }

  /// The orders that are due.
  std::vector<protocol::StartAgain> take_due(Clock::time_point now);

  /// When the next one is due.
  std::optional<Clock::time_point> deadline() const;

 private:
  struct Rank {
    std::uint32_t restarts = 0;
    int in_vain = 0;  ///< Of these, since it was with the others.
  };

  std::size_t left_;
  std::vector<Rank> ranks_;
  std::multimap<Clock::time_point, std::uint32_t> due_;
};

}  // namespace adarun::launcher
