// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "trainer/planner/search/choice.h"
#include "trainer/planner/search/elimination.h"

namespace adarun::planner {
namespace {

constexpr int most_prices = 100;
constexpr std::size_t most_kept = 20'000'000;  // sums, of 16 bytes each

/// The fastest options where each byte costs `price` seconds and any number of bytes is allowed.
Assignment fastest_at(const Choice& choice, double price) {
  Choice priced = choice;
  priced.most_bytes = std::numeric_limits<double>::infinity();
  for (auto& options : priced.nodes) {
    for (StrategyCost& option : options) option.seconds += price * option.bytes;
  }
  return cost_of(choice, *fastest_options(priced, {}));
}

/// The price of a byte at which options that fit cost as much as ones that do not (Lagrange's relaxation of
/// the limit), and the fastest options that fit and were met on the way there.
struct PricedLimit {
  Assignment fits;
  double price = 0;
  double least_seconds = 0;  ///< No options that fit are faster than this.
};

/// `fastest` does not fit, `fits` does. Goes along the hull of the points (bytes, seconds): each price is
/// that of the line through the two points next to the limit.
PricedLimit price_limit(const Choice& choice, Assignment fastest, Assignment fits) {
  PricedLimit found{fits, 0, fastest.seconds};
  Assignment exceeds = std::move(fastest);
  for (int n = 0; n < most_prices; ++n) {
    const double price = (fits.seconds - exceeds.seconds) / (exceeds.bytes - fits.bytes);
    Assignment at_price = fastest_at(choice, price);
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

/// As eliminate(), of options that have no workspace. If none that fit take less than `below_seconds`:
/// nothing, or slower options. `looks_left`: how many sums of costs may still be looked at; it counts down,
/// and at 0 the result is the fastest options that were met.
std::optional<Assignment> fastest_within(const Choice& choice, double below_seconds,
                                         std::size_t& looks_left) {
  // Mostly the fastest options fit, and are found without sums that are slower and smaller.
  Assignment fastest = fastest_at(choice, 0);
  if (fastest.seconds >= below_seconds) return std::nullopt;
  if (fastest.bytes <= choice.most_bytes) return fastest;
  Assignment least = smallest(choice);
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
      Assignment best = cost_of(choice, *options);
      if (best.seconds < limit.fits.seconds) return best;
    }
  } catch (const SearchLimitExceeded&) {
    // Too many are as good, but for a little: the best known, which is above the bound by at most the excess.
  }
  return std::move(limit.fits);
}

double largest_workspace(const Choice& choice, const std::vector<std::size_t>& options) {
  double largest = 0;
  for (std::size_t n = 0; n < options.size(); ++n)
    largest = std::max(largest, choice.nodes[n][options[n]].workspace);
  return largest;
}

/// A choice of the options whose workspace is no larger than something, of which none counts.
struct Narrowed {
  Choice choice;
  std::vector<std::vector<std::size_t>> options;  ///< Their numbers in the whole choice, for each node.

  std::vector<std::size_t> in_whole(const std::vector<std::size_t>& chosen) const {
    std::vector<std::size_t> whole;
    for (std::size_t n = 0; n < chosen.size(); ++n) whole.push_back(options[n][chosen[n]]);
    return whole;
  }
};

/// Nothing where a node has no such option.
std::optional<Narrowed> narrowed(const Choice& choice, double most_workspace, double most_bytes) {
  Narrowed found{{{}, {}, most_bytes}, {}};
  for (const std::vector<StrategyCost>& all : choice.nodes) {
    std::vector<StrategyCost>& costs = found.choice.nodes.emplace_back();
    std::vector<std::size_t>& numbers = found.options.emplace_back();
    for (std::size_t o = 0; o < all.size(); ++o) {
      if (all[o].workspace > most_workspace) continue;
      costs.push_back({all[o].seconds, all[o].bytes});
      numbers.push_back(o);
    }
    if (costs.empty()) return std::nullopt;
  }
  for (const Choice::Edge& edge : choice.edges) {
    Choice::Edge& narrow = found.choice.edges.emplace_back(Choice::Edge{edge.from, edge.to, {}});
    for (const std::size_t from : found.options[edge.from]) {
      std::vector<double>& row = narrow.seconds.emplace_back();
      for (const std::size_t to : found.options[edge.to]) row.push_back(edge.seconds[from][to]);
    }
  }
  return found;
}

/// All of them, each once, from the smallest to the largest.
std::vector<double> workspaces(const Choice& choice) {
  std::vector<double> all;
  for (const auto& options : choice.nodes) {
    for (const StrategyCost& option : options) all.push_back(option.workspace);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Looks for the fastest options in ranges of workspaces: with all options up to the largest of the range,
/// and the bytes that its smallest one leaves, none that fit are faster than what is found. If that does not
/// fit with its own workspace, it parts the range.
class RangesOfWorkspaces {
 public:
  explicit RangesOfWorkspaces(const Choice& choice) : choice_(choice), workspaces_(workspaces(choice)) {}

  std::optional<Assignment> search() {
    if (const auto all = range_of_all()) open_.push_back(*all);
    while (!open_.empty()) {
      const Range range = open_.back();
      open_.pop_back();
      look_in(range);
    }
    return std::move(best_);
  }

 private:
  struct Range {
    std::size_t smallest = 0;
    std::size_t largest = 0;
  };

  std::size_t number_of(double workspace) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(workspaces_, workspace) - workspaces_.begin());
  }

  /// From the smallest one that each node has an option for to the largest one beside which there is room;
  /// nothing where none is.
  std::optional<Range> range_of_all() const {
    double bytes = 0;
    double workspace = 0;
    for (const std::vector<StrategyCost>& options : choice_.nodes) {
      bytes += std::ranges::min(options, {}, &StrategyCost::bytes).bytes;
      workspace = std::max(workspace, std::ranges::min(options, {}, &StrategyCost::workspace).workspace);
    }
    constexpr double rounding = 1e-12;  // of sums that are added in another order
    const auto above = std::ranges::upper_bound(workspaces_, choice_.most_bytes - bytes * (1 - rounding));
    const auto fitting = static_cast<std::size_t>(above - workspaces_.begin());
    const std::size_t smallest = number_of(workspace);
    if (fitting <= smallest) return std::nullopt;
    return Range{smallest, fitting - 1};
  }

  void look_in(const Range& range) {
    const auto narrow =
        narrowed(choice_, workspaces_[range.largest], choice_.most_bytes - workspaces_[range.smallest]);
    if (!narrow) return;
    const double known = best_ ? best_->seconds : std::numeric_limits<double>::infinity();
    const auto found = fastest_within(narrow->choice, known, looks_left_);
    if (!found || found->seconds >= known) return;
    Assignment whole = cost_of(choice_, narrow->in_whole(found->options));
    const std::size_t own = number_of(largest_workspace(choice_, whole.options));
    // With the smallest workspace it fits, but for the last bits of sums that were added in another order.
    if (whole.bytes <= choice_.most_bytes || own <= range.smallest) {
      best_ = std::move(whole);
      return;
    }
    open_.push_back({range.smallest, own - 1});
    open_.push_back({own, range.largest});
  }

  const Choice& choice_;
  std::vector<double> workspaces_;
  std::vector<Range> open_;
  std::optional<Assignment> best_;
  std::size_t looks_left_ = 400'000'000;  // at sums of costs: a minute or so
};

}  // namespace

std::optional<Assignment> eliminate(const Choice& choice) {
  if (choice.nodes.empty()) return cost_of(choice, {});
  return RangesOfWorkspaces(choice).search();
}

}  // namespace adarun::planner
