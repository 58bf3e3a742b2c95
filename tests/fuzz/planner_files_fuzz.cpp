// SPDX-License-Identifier: Apache-2.0
// Any bytes are a model, costs, a plan, or an Error. What is read is read again as it was written, and a
// small model has a plan that its own reader takes.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/fuzz/fuzz_target.h"
#include "trainer/planner/json/graph_json.h"
#include "trainer/planner/json/links_json.h"
#include "trainer/planner/json/plan_json.h"

namespace planner = adarun::planner;

namespace {

/// Calls `check` unless it throws Error.
template <typename Check>
void unless_refused(const Check& check) {
  try {
    check();
  } catch (const planner::Error&) {
  }
}

void check_plan_of(const planner::ModelGraph& graph) {
  constexpr std::size_t few_layers = 6;
  if (graph.layers.size() > few_layers) return;
  const planner::ClusterSetting setting{.ranks = 4,
                                        .links = {{"node", 2, 1e-6, 1e-9, 1}, {"cluster", 4, 1e-5, 1e-8, 2}}};
  const planner::PlanReport report = make_report(graph, setting, planner::Search::dp, planner::no_limit);
  const double seconds = report.plan.seconds();
  if (!std::isfinite(seconds) || seconds > report.data_parallel.seconds() * 1.0001) std::abort();
  const planner::StoredPlan stored = planner::read_plan(planner::write_plan(report), "own");
  if (strategies_for(stored, "own", graph, setting.ranks).size() != graph.layers.size()) std::abort();
  const double most_bytes = 0.7 * report.data_parallel.memory_bytes();
  unless_refused([&] {
    const planner::PlanReport small = make_report(graph, setting, planner::Search::dp, most_bytes);
    if (small.plan.memory_bytes() > most_bytes * (1 + 1e-9)) std::abort();
    if (small.plan.seconds() < seconds * (1 - 1e-9)) std::abort();
  });
}

}  // namespace

FUZZ_TARGET(planner_files) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  unless_refused([&] {
    const planner::ModelGraph graph = planner::read_graph(text, "file");
    if (planner::read_graph(planner::write_graph(graph), "own") != graph) std::abort();
    check_plan_of(graph);
  });
  unless_refused([&] {
    const planner::MeasuredLinks links = planner::read_links(text, "file");
    if (planner::read_links(planner::write_links(links), "own") != links) std::abort();
  });
  unless_refused([&] { planner::read_plan(text, "file"); });
  return 0;
}
