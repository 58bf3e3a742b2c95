// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "monitor/series/series.h"

namespace adarun::monitor {

/// One of the attempts that a job runs in.
struct RunAttempt {
  std::uint64_t number = 1;
  std::string change = {};           ///< How it came about: "node2 is lost; node3 joins". Cleaned.
  std::optional<Sample> begin = {};  ///< Its loss line of the lowest position; nothing until it prints one.
  std::size_t ranks = 0;             ///< Of one that has ended: how many ranks had loss lines.
  bool replaced = false;             ///< A later attempt began where it did, or before.

  /// Whether it can be seen where it took over from the one before.
  bool has_mark() const { return number > 1 && begin && !replaced; }
};

/// The losses of one rank of an attempt that has ended.
struct PastRank {
  std::uint32_t rank = 0;
  Series losses;
  Series validations;
};

/// What is left of the attempts before the current one: their losses before the position where a later
/// attempt began.
class PastAttempts {
 public:
  void add(PastRank rank);

  /// Drops what lies at this position and after it: it is done again.
  void cut(std::uint64_t position);

  void coarsen(std::uint64_t stride);

  const std::vector<PastRank>& ranks() const { return ranks_; }
  std::size_t points() const { return points_; }

  /// The last position; 0 if there is none.
  std::uint64_t position() const { return position_; }

 private:
  void count(const PastRank& rank);
  void count_all();

  std::vector<PastRank> ranks_;  ///< In the order of attempts, then of ranks.
  std::size_t points_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace adarun::monitor
