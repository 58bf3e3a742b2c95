// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/search/fastest_within.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "trainer/planner/search/elimination.h"

namespace adarun::planner {
namespace {

constexpr int most_prices = 100;
constexpr std::size_t most_kept = 20'000'000;  // sums, of 16 bytes each

/// The fastest options where each byte costs `price` seconds and any number of bytes is allowed.
Chosen fastest_at(const Choice& choice, double price) {
  Choice priced = choice;
  priced.most_bytes = std::numeric_limits<double>::infinity();
  for (auto& options : priced.nodes) {
    for (OptionCost& option : options) option.seconds += price * option.bytes;
  }
  return cost_of(choice, *fastest_options(priced, {}));
}

/// The price of a byte at which options that fit cost as much as ones that do not (Lagrange's relaxation of
/// the limit), and the fastest options that fit and were met on the way there.
struct PricedLimit {
  Chosen fits;
  double price = 0;
  double least_seconds = 0;  ///< No options that fit are faster than this.
};

/// `fastest` does not fit, `fits` does. Goes along the hull of the points (bytes, seconds): each price is
/// that of the line through the two points next to the limit.
PricedLimit price_limit(const Choice& choice, Chosen fastest, Chosen fits) {
  PricedLimit found{fits, 0, fastest.seconds};
  Chosen exceeds = std::move(fastest);
  for (int n = 0; n < most_prices; ++n) {
    const double price = (fits.seconds - exceeds.seconds) / (exceeds.bytes - fits.bytes);
    Chosen at_price = fastest_at(choice, price);
    const double cost = at_price.seconds + price * at_price.bytes;
    if (const double bound = cost - price * choice.most_bytes; bound > found.least_seconds) {
      found.least_seconds = bound;
      found.price = price;
    }
    const bool on_line = cost >= (fits.seconds + price * fits.bytes) * (1 - 1e-12);
    const bool is_within = at_price.bytes <= choice.most_bytes;
    if (is_within && at_price.seconds < found.fits.seconds) found.fits = at_price;
    if (on_line) break;
    (is_within ? fits : exceeds) = std::move(at_price);
  }
  return found;
}

}  // namespace

std::optional<Chosen> fastest_within(const Choice& choice, double below_seconds, std::size_t& looks_left) {
  // Mostly the fastest options fit, and are found without sums that are slower and smaller.
  Chosen fastest = fastest_at(choice, 0);
  if (fastest.seconds >= below_seconds) return std::nullopt;
  if (fastest.bytes <= choice.most_bytes) return fastest;
  Chosen least = smallest(choice);
  if (least.bytes > choice.most_bytes) return std::nullopt;
  PricedLimit limit = price_limit(choice, std::move(fastest), std::move(least));
  // The bound has its roundings, too.
  const double rounding = 1e-9 * (limit.fits.seconds + limit.price * choice.most_bytes);
  if (limit.least_seconds >= below_seconds + rounding) return std::nullopt;
  // What is added to a sum costs at least what is added to the cheapest one of the same neighbours. So a sum
  // that costs more than that one by more than the best known lies above the bound is part of nothing better.
  const double best_known = std::min(limit.fits.seconds, below_seconds);
  const Pruning pruning{limit.price, best_known - limit.least_seconds + rounding, most_kept, &looks_left};
  try {
    if (const auto options = fastest_options(choice, pruning)) {
      Chosen best = cost_of(choice, *options);
      if (best.seconds < limit.fits.seconds) return best;
    }
  } catch (const TooManySums&) {
    // Too many are as good, but for a little: the best known, which is above the bound by at most the excess.
  }
  return std::move(limit.fits);
}

}  // namespace adarun::planner
