// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/plan/report.h"

#include <algorithm>
#include <cstdio>

namespace adarun::planner {
namespace {

/// Where the time of a step goes.
struct StepShares {
  double compute_s = 0;
  std::vector<double> level_s;  // of each level of links

  double all() const {
    double sum = compute_s;
    for (const double each : level_s) sum += each;
    return sum;
  }
};

// The links of a ring are shared by fewer ranks than send at once otherwise, so its time is not that of its
// bytes on each level.
void add_traffic(const Communication& communication, const LinkLevels& links, StepShares& shares) {
  const double all = seconds(communication.traffic, links);
  if (all == 0) return;
  for (std::size_t l = 0; l < communication.traffic.levels.size(); ++l) {
    Traffic of_level{std::vector<Traffic::OfLevel>(links.size())};
    of_level.levels[l] = communication.traffic.levels[l];
    shares.level_s[l] += communication.seconds * seconds(of_level, links) / all;
  }
}

StepShares shares_of(const PlanReport& report) {
  StepShares shares{0, std::vector<double>(report.links.size())};
  for (const PlannedLayer& layer : report.plan.layers) {
    shares.compute_s += layer.cost.compute_s + layer.cost.update_s;
    for (const Communication* of :
         {&layer.cost.outputs, &layer.cost.inputs, &layer.cost.gradients, &layer.change})
      add_traffic(*of, report.links, shares);
  }
  return shares;
}

bool is_limited_by_memory(const PlanReport& report) {
  // Two ways to the same sum may differ in its last bits.
  return report.plan.seconds() > report.without_limit.seconds() * (1 + 1e-12);
}

std::string text_of(double number, const char* format) {
  char text[40];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string milliseconds(double of_s) {
  return text_of(1e3 * of_s, "%.3f");
}

std::string megabytes(double bytes) {
  return text_of(bytes / 1e6, "%.2f");
}

double sent_bytes(const PlannedLayer& layer) {
  return layer.cost.outputs.traffic.bytes() + layer.cost.inputs.traffic.bytes() +
         layer.cost.gradients.traffic.bytes() + layer.change.traffic.bytes();
}

std::vector<std::string> row(const PlannedLayer& of, const std::string& strategy, double seconds,
                             double memory_bytes) {
  const LayerCost& cost = of.cost;
  return {of.name,
          strategy,
          milliseconds(cost.compute_s),
          milliseconds(cost.outputs.seconds + cost.inputs.seconds),
          milliseconds(of.change.seconds),
          milliseconds(cost.gradients.seconds),
          milliseconds(cost.update_s),
          milliseconds(seconds),
          megabytes(sent_bytes(of)),
          megabytes(memory_bytes)};
}

}  // namespace

PlanReport make_report(const ModelGraph& graph, const ClusterSetting& setting, Search search,
                       double most_bytes) {
  ParallelPlan plan = make_plan(graph, setting, search, most_bytes);
  ParallelPlan without_limit = most_bytes == no_limit ? plan : make_plan(graph, setting, search);
  return {std::move(plan), data_parallel(graph, setting), std::move(without_limit), setting.links,
          most_bytes};
}

PlanReport report_on(const ModelGraph& graph, const ClusterSetting& setting,
                     const std::vector<Strategy>& chosen) {
  const ParallelPlan plan = plan_of(graph, setting, chosen);
  return {plan, data_parallel(graph, setting), plan, setting.links};
}

BoundBy bound_by(const PlanReport& report) {
  if (is_limited_by_memory(report)) return BoundBy::memory;
  const StepShares shares = shares_of(report);
  return shares.compute_s * 2 >= shares.all() ? BoundBy::compute : BoundBy::links;
}

std::string describe_bound(const PlanReport& report) {
  const StepShares shares = shares_of(report);
  const auto part = [&](double of_s) {
    return text_of(shares.all() > 0 ? 100 * of_s / shares.all() : 0, "%.0f %%");
  };
  switch (bound_by(report)) {
    case BoundBy::memory:
      return "memory: a step without the limit takes " + milliseconds(report.without_limit.seconds()) +
             " ms, and " + megabytes(report.without_limit.memory_bytes()) + " MB";
    case BoundBy::compute:
      return "computing: " + part(shares.compute_s) + " of a step";
    case BoundBy::links:
      break;
  }
  const auto slowest = std::ranges::max_element(shares.level_s);
  return "links of level " + report.links[static_cast<std::size_t>(slowest - shares.level_s.begin())].name +
         ": " + part(*slowest) + " of a step";
}

std::vector<std::vector<std::string>> rows(const ParallelPlan& plan) {
  std::vector<std::vector<std::string>> all{{"layer", "strategy", "compute ms", "sums ms",
                                             "redistribution ms", "gradients ms", "update ms", "all ms",
                                             "sent MB", "memory MB"}};
  PlannedLayer total{.name = "all", .strategy = {}};
  for (const PlannedLayer& layer : plan.layers) {
    const LayerCost& cost = layer.cost;
    all.push_back(row(layer, describe(layer.strategy), layer.seconds(), cost.memory_bytes()));
    total.cost.compute_s += cost.compute_s;
    total.cost.update_s += cost.update_s;
    total.cost.outputs += cost.outputs;
    total.cost.inputs += cost.inputs;
    total.cost.gradients += cost.gradients;
    total.change += layer.change;
  }
  all.push_back(row(total, "", plan.seconds(), plan.memory_bytes()));
  return all;
}

}  // namespace adarun::planner
