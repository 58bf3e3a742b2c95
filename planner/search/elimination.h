// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "planner/search/choice.h"

namespace adarun::planner {

/// Which sums of costs are given up while nodes are taken out, beside those that need too many bytes.
struct Pruning {
  double price = 0;  ///< Of a byte, in seconds.
  /// Those that cost, with their bytes at the price, this many seconds more than another for the same
  /// neighbours.
  double most_excess = std::numeric_limits<double>::infinity();
  std::size_t most_steps = 20'000'000;  ///< Of 16 bytes each.

  double priced(double seconds, double bytes) const { return seconds + price * bytes; }
};

/// More steps than Pruning::most_steps.
struct TooManySums : std::runtime_error {
  TooManySums() : std::runtime_error("too many sums of time and memory") {}
};

/// The fastest options within the bytes of `choice`, found by taking out one node after the other; with
/// infinite bytes only the fastest sum is kept. Nothing if none are left. Throws Error for graphs where too
/// many nodes would have to be chosen together, and TooManySums.
std::optional<std::vector<std::size_t>> fastest_options(const Choice& choice, const Pruning& pruning);

}  // namespace adarun::planner
