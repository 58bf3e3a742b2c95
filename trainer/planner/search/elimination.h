// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "trainer/planner/model/graph.h"
#include "trainer/planner/search/choice.h"

namespace adarun::planner {

/// Which sums of costs are given up while nodes are taken out, beside those that need too many bytes.
struct Pruning {
  double price = 0;  ///< Of a byte, in seconds.
  /// Those that cost, with their bytes at the price, this many seconds more than another for the same
  /// neighbours.
  double most_excess = std::numeric_limits<double>::infinity();
  std::size_t most_kept = std::numeric_limits<std::int32_t>::max();
  std::size_t* looks_left = nullptr;  ///< How many sums may still be looked at; it counts down. None: all.

  double priced(double seconds, double bytes) const { return seconds + price * bytes; }
};

/// More sums than Pruning allows.
struct SearchLimitExceeded : Error {
  SearchLimitExceeded() : Error("the layers are connected in too many ways for an exact search") {}
};

/// The fastest options within the bytes of `choice`, found by taking out one node after the other; with
/// infinite bytes only the fastest sum is kept. Nothing if none are left. Throws Error for graphs where too
/// many nodes would have to be chosen together, and SearchLimitExceeded.
std::optional<std::vector<std::size_t>> fastest_options(const Choice& choice, const Pruning& pruning);

}  // namespace adarun::planner
