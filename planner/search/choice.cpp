// SPDX-License-Identifier: Apache-2.0
#include "planner/search/choice.h"

#include <algorithm>
#include <utility>

namespace adarun::planner {

Chosen cost_of(const Choice& choice, std::vector<std::size_t> options) {
  Chosen chosen{std::move(options)};
  double workspace = 0;
  for (std::size_t n = 0; n < choice.nodes.size(); ++n) {
    const OptionCost& option = choice.nodes[n][chosen.options[n]];
    chosen.seconds += option.seconds;
    chosen.bytes += option.bytes;
    workspace = std::max(workspace, option.workspace);
  }
  chosen.bytes += workspace;
  for (const auto& [from, to, seconds] : choice.edges)
    chosen.seconds += seconds[chosen.options[from]][chosen.options[to]];
  return chosen;
}

double combinations(const Choice& choice) {
  double product = 1;
  for (const auto& options : choice.nodes) product *= static_cast<double>(options.size());
  return product;
}

std::optional<Chosen> try_all(const Choice& choice) {
  std::optional<Chosen> best;
  std::vector<std::size_t> options(choice.nodes.size(), 0);
  while (true) {
    Chosen tried = cost_of(choice, options);
    if (tried.bytes <= choice.most_bytes && (!best || tried.seconds < best->seconds)) best = std::move(tried);
    std::size_t n = 0;
    while (n < options.size() && ++options[n] == choice.nodes[n].size()) options[n++] = 0;
    if (n == options.size()) return best;
  }
}

}  // namespace adarun::planner
