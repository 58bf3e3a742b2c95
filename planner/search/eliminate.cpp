// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/search/choice.h"
#include "planner/search/fastest_within.h"

namespace adarun::planner {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

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
  for (const std::vector<OptionCost>& all : choice.nodes) {
    std::vector<OptionCost>& costs = found.choice.nodes.emplace_back();
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
    for (const OptionCost& option : options) all.push_back(option.workspace);
  }
  std::ranges::sort(all);
  const auto twice = std::ranges::unique(all);
  all.erase(twice.begin(), twice.end());
  return all;
}

/// Looks for the fastest options in ranges of workspaces: with all options up to the largest of the range,
/// and the bytes that its smallest one leaves, none that fit are faster than what is found. If that does not
/// fit with its own workspace, it parts the range.
class RangesOfWorkspaces {
 public:
  explicit RangesOfWorkspaces(const Choice& choice) : choice_(choice), workspaces_(workspaces(choice)) {}

  std::optional<Chosen> search() {
    open_.push_back({0, workspaces_.size() - 1});
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

  void look_in(const Range& range) {
    const auto narrow =
        narrowed(choice_, workspaces_[range.largest], choice_.most_bytes - workspaces_[range.smallest]);
    if (!narrow) return;
    const auto found = fastest_within(narrow->choice);
    if (!found || (best_ && found->seconds >= best_->seconds)) return;
    Chosen whole = cost_of(choice_, narrow->in_whole(found->options));
    const auto at = std::ranges::lower_bound(workspaces_, largest_workspace(choice_, whole.options));
    const auto own = static_cast<std::size_t>(at - workspaces_.begin());
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
  std::optional<Chosen> best_;
};

/// The one at which the options that need least bytes need least.
double workspace_of_smallest(const Choice& choice) {
  std::vector<std::tuple<double, std::size_t, double>> all;  // workspace, node, bytes
  for (std::size_t n = 0; n < choice.nodes.size(); ++n) {
    for (const OptionCost& option : choice.nodes[n]) all.emplace_back(option.workspace, n, option.bytes);
  }
  std::ranges::sort(all);
  std::vector<double> least(choice.nodes.size(), infinite);  // of each node, with workspaces so far
  std::size_t left = least.size();
  double sum = 0;
  double best = infinite;
  double best_workspace = 0;
  for (const auto& [workspace, node, bytes] : all) {
    if (bytes >= least[node]) continue;
    if (least[node] == infinite)
      --left;
    else
      sum -= least[node];
    least[node] = bytes;
    sum += bytes;
    if (left > 0 || sum + workspace >= best) continue;
    best = sum + workspace;
    best_workspace = workspace;
  }
  return best_workspace;
}

}  // namespace

Chosen smallest(const Choice& choice) {
  const double workspace = workspace_of_smallest(choice);
  std::vector<std::size_t> chosen;
  for (const std::vector<OptionCost>& options : choice.nodes) {
    std::size_t least = none;
    for (std::size_t o = 0; o < options.size(); ++o) {
      const bool fits = options[o].workspace <= workspace;
      if (fits && (least == none || options[o].bytes < options[least].bytes)) least = o;
    }
    chosen.push_back(least);
  }
  return cost_of(choice, std::move(chosen));
}

std::optional<Chosen> eliminate(const Choice& choice) {
  if (choice.nodes.empty()) return cost_of(choice, {});
  return RangesOfWorkspaces(choice).search();
}

}  // namespace adarun::planner
