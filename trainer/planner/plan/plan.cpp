// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/plan/plan.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/describe.h"
#include "trainer/planner/search/choice.h"

namespace adarun::planner {
namespace {

using Options = std::vector<std::vector<Strategy>>;  // of each layer

constexpr double most_combinations = 1e8;

/// Each time of a change of layout is computed once.
Choice::Edge edge_of(const ModelGraph& graph, std::size_t from, std::size_t to, const Options& options,
                     const ClusterSetting& setting) {
  Choice::Edge edge{from, to, {}};
  std::map<std::tuple<std::int64_t, Channels, std::int64_t, Channels>, double> known;
  for (const Strategy& before : options[from]) {
    const ActivationLayout given = output_layout(before);
    std::vector<double>& row = edge.seconds.emplace_back();
    for (const Strategy& after : options[to]) {
      const ActivationLayout taken = input_layout(graph.layers[to], after);
      const auto [at, is_new] =
          known.try_emplace(std::tuple(given.parts, given.channels, taken.parts, taken.channels), 0.0);
      if (is_new) at->second = change_cost(graph, from, given, taken, setting).seconds;
      row.push_back(at->second);
    }
  }
  return edge;
}

Choice choice_of(const ModelGraph& graph, const Options& options, const ClusterSetting& setting,
                 double most_bytes) {
  Choice choice{{}, {}, most_bytes};
  for (std::size_t l = 0; l < options.size(); ++l) {
    std::vector<StrategyCost>& costs = choice.nodes.emplace_back();
    for (const Strategy& strategy : options[l]) {
      const LayerCost of = cost(graph, l, strategy, setting);
      const double workspace = std::max(of.workspace_bytes, setting.least_workspace_bytes);
      costs.push_back({of.seconds(), of.memory_bytes(), workspace});
    }
    for (const std::size_t input : graph.layers[l].inputs)
      choice.edges.push_back(edge_of(graph, input, l, options, setting));
  }
  return choice;
}

std::vector<Strategy> strategies_of(const Options& options, const std::vector<std::size_t>& chosen) {
  std::vector<Strategy> all;
  for (std::size_t l = 0; l < options.size(); ++l) all.push_back(options[l][chosen[l]]);
  return all;
}

[[noreturn]] void throw_too_large(const ModelGraph& graph, const ClusterSetting& setting, double least,
                                  double most_bytes) {
  const auto [needed, limit] = base::describe_too_many_bytes(least, most_bytes);
  throw Infeasible("model " + graph.model + ": no plan for " + std::to_string(setting.ranks) +
                   " ranks needs less than " + needed + " of memory on each, and the limit is " + limit);
}

std::vector<Strategy> search_all(const ModelGraph& graph, const ClusterSetting& setting, double most_bytes,
                                 const std::function<std::optional<Assignment>(const Choice&)>& find) {
  Options options;
  for (std::size_t l = 0; l < graph.layers.size(); ++l)
    options.push_back(strategies(graph, l, setting.ranks));
  const Choice choice = choice_of(graph, options, setting, most_bytes);
  const std::optional<Assignment> chosen = find(choice);
  if (!chosen) throw_too_large(graph, setting, smallest(choice).bytes, most_bytes);
  return strategies_of(options, chosen->options);
}

std::optional<Assignment> try_all_if_few(const Choice& choice) {
  if (const double all = combinations(choice); all > most_combinations) {
    char text[100];
    std::snprintf(text, sizeof text, "an exhaustive search would try %.3g plans, %.0e at most are tried", all,
                  most_combinations);
    throw Error(text);
  }
  return try_all(choice);
}

/// `now` and what it becomes with `factor` times the parts.
std::vector<Strategy> next(const std::vector<Strategy>& allowed, const Strategy& now, std::int64_t factor) {
  std::vector<Strategy> all{now};
  for (const Strategy& strategy : allowed) {
    const bool continues = now.parts == 1 || strategy.split == now.split;
    if (continues && strategy.parts == now.parts * factor) all.push_back(strategy);
  }
  return all;
}

std::vector<Strategy> search_recursively(const ModelGraph& graph, const ClusterSetting& setting,
                                         double most_bytes) {
  std::vector<Strategy> now(graph.layers.size(), {setting.ranks, 1, LayerSplit::none});
  std::int64_t left = setting.ranks;
  for (std::int64_t factor = 2; left > 1;) {
    if (left % factor != 0) {
      ++factor;
      continue;
    }
    left /= factor;
    Options options;
    for (std::size_t l = 0; l < now.size(); ++l)
      options.push_back(next(strategies(graph, l, setting.ranks), now[l], factor));
    const Choice choice = choice_of(graph, options, setting, most_bytes);
    const std::optional<Assignment> chosen = eliminate(choice);
    now = strategies_of(options, chosen ? chosen->options : smallest(choice).options);
  }
  const ParallelPlan plan = plan_of(graph, setting, now);
  const double more = std::max(setting.least_workspace_bytes - plan.workspace_bytes(), 0.0);
  if (const double bytes = plan.memory_bytes() + more; bytes > most_bytes) {
    const auto [needed, limit] = base::describe_too_many_bytes(bytes, most_bytes);
    throw Infeasible("model " + graph.model + ": the plan found recursively needs " + needed +
                     " of memory on each rank, and the limit is " + limit + " (try --search dp)");
  }
  return now;
}

std::vector<Strategy> found(const ModelGraph& graph, const ClusterSetting& setting, Search search,
                            double most_bytes) {
  switch (search) {
    case Search::recursive:
      return search_recursively(graph, setting, most_bytes);
    case Search::exhaustive:
      return search_all(graph, setting, most_bytes, try_all_if_few);
    case Search::dp:
      break;
  }
  return search_all(graph, setting, most_bytes, eliminate);
}

}  // namespace

double ParallelPlan::seconds() const {
  double sum = 0;
  for (const PlannedLayer& layer : layers) sum += layer.seconds();
  return sum;
}

double ParallelPlan::memory_bytes() const {
  double sum = 0;
  for (const PlannedLayer& layer : layers) sum += layer.cost.memory_bytes();
  return sum + workspace_bytes();
}

double ParallelPlan::workspace_bytes() const {
  double largest = 0;
  for (const PlannedLayer& layer : layers) largest = std::max(largest, layer.cost.workspace_bytes);
  return largest;
}

ParallelPlan plan_of(const ModelGraph& graph, const ClusterSetting& setting,
                     const std::vector<Strategy>& chosen) {
  ParallelPlan plan{graph.model, setting.ranks, setting.batch, {}};
  for (std::size_t l = 0; l < graph.layers.size(); ++l) {
    PlannedLayer planned{graph.layers[l].name, chosen[l], cost(graph, l, chosen[l], setting)};
    for (const std::size_t input : graph.layers[l].inputs) {
      planned.change += change_cost(graph, input, output_layout(chosen[input]),
                                    input_layout(graph.layers[l], chosen[l]), setting);
    }
    plan.layers.push_back(std::move(planned));
  }
  return plan;
}

ParallelPlan data_parallel(const ModelGraph& graph, const ClusterSetting& setting) {
  return plan_of(graph, setting,
                 std::vector<Strategy>(graph.layers.size(), {setting.ranks, 1, LayerSplit::none}));
}

ParallelPlan make_plan(const ModelGraph& graph, const ClusterSetting& setting, Search search,
                       double most_bytes) {
  return plan_of(graph, setting, found(graph, setting, search, most_bytes));
}

}  // namespace adarun::planner
