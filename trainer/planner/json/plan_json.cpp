// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/json/plan_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clean_text.h"
#include "trainer/planner/json/fields.h"
#include "trainer/planner/json/graph_json.h"

namespace adarun::planner {
namespace {

using nlohmann::ordered_json;

constexpr const char* plan_schema = "adarun-plan-1";
constexpr std::int64_t most_ranks = std::int64_t{1} << 24U;

constexpr std::pair<const char*, LayerSplit> splits[] = {
    {"none", LayerSplit::none}, {"outputs", LayerSplit::outputs}, {"inputs", LayerSplit::inputs}};
constexpr std::pair<const char*, BoundBy> bounds[] = {
    {"compute", BoundBy::compute}, {"links", BoundBy::links}, {"memory", BoundBy::memory}};

ordered_json communication_json(const Communication& of) {
  return {{"seconds", of.seconds}, {"bytes", of.traffic.bytes()}, {"messages", of.traffic.messages()}};
}

ordered_json planned_layer_json(const PlannedLayer& layer) {
  const LayerCost& cost = layer.cost;
  return {{"name", layer.name},
          {"replicas", layer.strategy.replicas},
          {"parts", layer.strategy.parts},
          {"split", word_for(splits, layer.strategy.split)},
          {"seconds", layer.seconds()},
          {"compute_s", cost.compute_s},
          {"update_s", cost.update_s},
          {"outputs", communication_json(cost.outputs)},
          {"inputs", communication_json(cost.inputs)},
          {"gradients", communication_json(cost.gradients)},
          {"redistribution", communication_json(layer.change)},
          {"state_bytes", cost.state_bytes},
          {"kept_bytes", cost.kept_bytes},
          {"workspace_bytes", cost.workspace_bytes}};
}

/// Why a layer cannot run so; empty if it can.
std::string refusal(const ModelGraph& graph, std::size_t l, const Strategy& strategy, std::int64_t ranks) {
  const Layer& layer = graph.layers[l];
  const std::string channels =
      " parts of " +
      std::to_string(strategy.split == LayerSplit::inputs ? graph.in_channels(l) : layer.out_channels);
  if (strategy.replicas * strategy.parts != ranks)
    return std::to_string(strategy.replicas) + " x " + std::to_string(strategy.parts) + " is not " +
           std::to_string(ranks) + " ranks";
  const auto allowed = strategies(graph, l, ranks);
  if (std::ranges::find(allowed, strategy) != allowed.end()) return "";
  if (strategy.parts == 1) return "nothing is split in 1 part: \"split\" has to be \"none\"";
  if (strategy.split == LayerSplit::inputs && layer.kind == LayerKind::sum)
    return "a sum is split by \"outputs\", as its inputs are";
  if (strategy.split == LayerSplit::inputs && layer.inputs.empty())
    return "the channels of images are not split";
  return std::to_string(strategy.parts) + channels + " channels would be empty";
}

}  // namespace

std::string write_plan(const PlanReport& report) {
  const ParallelPlan& plan = report.plan;
  ordered_json json{
      {"schema", plan_schema},
      {"model", plan.model},
      {"ranks", plan.ranks},
      {"batch", plan.batch},
      {"seconds", plan.seconds()},
      {"memory_bytes", plan.memory_bytes()},
      {"bound_by", word_for(bounds, bound_by(report))},
      {"data_parallel",
       {{"seconds", report.data_parallel.seconds()}, {"memory_bytes", report.data_parallel.memory_bytes()}}},
      {"layers", ordered_json::array()}};
  for (const PlannedLayer& layer : plan.layers) json["layers"].push_back(planned_layer_json(layer));
  return json.dump(2) + "\n";
}

StoredPlan read_plan(const std::string& text, const std::string& name) {
  const nlohmann::json json = parse_file(text, name, plan_schema);
  const JsonFields fields(json, name);
  StoredPlan plan{fields.text("model"),
                  fields.integer("ranks", 1, most_ranks),
                  fields.integer("batch", 1, most_ranks),
                  {}};
  for (const JsonFields& of : fields.objects("layers", most_layers)) {
    plan.layers.push_back({of.text("name"),
                           {of.integer("replicas", 1, most_ranks), of.integer("parts", 1, most_ranks),
                            of.value("split", splits)}});
  }
  return plan;
}

std::vector<Strategy> strategies_for(const StoredPlan& plan, const std::string& name, const ModelGraph& graph,
                                     std::int64_t ranks) {
  const auto quoted = [](const std::string& text) { return "\"" + base::clean_line(text) + "\""; };
  if (plan.model != graph.model)
    throw Error(name + ": a plan for model " + quoted(plan.model) + ", and this is " + quoted(graph.model));
  if (plan.ranks != ranks)
    throw Error(name + ": a plan for " + std::to_string(plan.ranks) + " ranks, and there are " +
                std::to_string(ranks));
  if (plan.layers.size() != graph.layers.size())
    throw Error(name + ": a plan of " + std::to_string(plan.layers.size()) + " layers, and model " +
                base::clean_line(graph.model) + " has " + std::to_string(graph.layers.size()));
  std::vector<Strategy> chosen;
  for (std::size_t l = 0; l < plan.layers.size(); ++l) {
    const auto& [layer, strategy] = plan.layers[l];
    const std::string where = name + ": layers[" + std::to_string(l) + "]: ";
    if (layer != graph.layers[l].name)
      throw Error(where + quoted(layer) + ", and layer " + std::to_string(l) + " of the model is " +
                  quoted(graph.layers[l].name));
    if (const std::string why = refusal(graph, l, strategy, ranks); !why.empty())
      throw Error(where + quoted(layer) + ": " + describe(strategy) + ": " + why);
    chosen.push_back(strategy);
  }
  return chosen;
}

}  // namespace adarun::planner
