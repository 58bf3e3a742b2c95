// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/search/choice.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace adarun::planner {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// The one at which the options that need least bytes need least.
double workspace_of_smallest(const Choice& choice) {
  std::vector<std::tuple<double, std::size_t, double>> all;  // workspace, node, bytes
  for (std::size_t n = 0; n < choice.nodes.size(); ++n) {
    for (const StrategyCost& option : choice.nodes[n]) all.emplace_back(option.workspace, n, option.bytes);
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

Assignment cost_of(const Choice& choice, std::vector<std::size_t> options) {
  Assignment chosen{std::move(options)};
  double workspace = 0;
  for (std::size_t n = 0; n < choice.nodes.size(); ++n) {
    const StrategyCost& option = choice.nodes[n][chosen.options[n]];
    chosen.seconds += option.seconds;
    chosen.bytes += option.bytes;
    workspace = std::max(workspace, option.workspace);
  }
  chosen.bytes += workspace;
  for (const auto& [from, to, seconds] : choice.edges)
    chosen.seconds += seconds[chosen.options[from]][chosen.options[to]];
  return chosen;
}

Assignment smallest(const Choice& choice) {
  const double workspace = workspace_of_smallest(choice);
  std::vector<std::size_t> chosen;
  for (const std::vector<StrategyCost>& options : choice.nodes) {
    std::size_t least = none;
    for (std::size_t o = 0; o < options.size(); ++o) {
      const bool fits = options[o].workspace <= workspace;
      if (fits && (least == none || options[o].bytes < options[least].bytes)) least = o;
    }
    chosen.push_back(least);
  }
  return cost_of(choice, std::move(chosen));
}

double combinations(const Choice& choice) {
  double product = 1;
  for (const auto& options : choice.nodes) product *= static_cast<double>(options.size());
  return product;
}

std::optional<Assignment> try_all(const Choice& choice) {
  std::optional<Assignment> best;
  std::vector<std::size_t> options(choice.nodes.size(), 0);
  while (true) {
    Assignment tried = cost_of(choice, options);
    if (tried.bytes <= choice.most_bytes && (!best || tried.seconds < best->seconds)) best = std::move(tried);
    std::size_t n = 0;
    while (n < options.size() && ++options[n] == choice.nodes[n].size()) options[n++] = 0;
    if (n == options.size()) return best;
  }
}

}  // namespace adarun::planner
