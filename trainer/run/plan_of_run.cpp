// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/plan_of_run.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "base/describe.h"
#include "ranktable/model/read_start.h"
#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/options/rules.h"
#include "trainer/planner/costs/links.h"
#include "trainer/planner/json/graph_json.h"
#include "trainer/planner/json/links_json.h"
#include "trainer/planner/json/plan_json.h"
#include "trainer/run/memory_limit.h"

namespace adarun::trainer {
namespace {

/// The numbers that an optimizer keeps of each weight.
std::int64_t optimizer_slots(const std::string& name) {
  if (name == "sgd") return 0;
  return name == "adam" || name == "lamb" ? 2 : 1;
}

}  // namespace

planner::ClusterSetting cluster_setting(const TrainerOptions& options, int ranks) {
  return {.ranks = ranks,
          .batch = options.batch_size,
          .passes = options.micro_batches,
          .optimizer_slots = optimizer_slots(options.optimizer.name),
          .links = {{"all", ranks, 0, 0, 1}},
          .reduce = options.reduce == Reduce::mean ? planner::GradientReduce::mean
                                                   : planner::GradientReduce::adasum};
}

namespace {

constexpr const char* made_here = "the plan made by --parallel-mode auto_parallel";

std::string text_of_file(const std::string& file) {
  return ranktable::read_start(file, planner::most_file_bytes + 1);
}

/// Adjacent ranks of each node, in the order of ranks.
std::vector<std::int64_t> ranks_of_nodes(adasum::Communicator& communicator) {
  int first = communicator.rank();
  const auto node = communicator.split_by_node();
  node->broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  const std::vector<int> firsts = adasum::gather(communicator, first);
  std::vector<std::int64_t> nodes;
  for (std::size_t rank = 0; rank < firsts.size(); ++rank) {
    if (rank > 0 && firsts[rank] == firsts[rank - 1])
      ++nodes.back();
    else
      nodes.push_back(1);
  }
  return nodes;
}

planner::ClusterSetting setting_on(const std::vector<std::int64_t>& nodes, const TrainerOptions& options,
                                   int ranks) {
  const planner::MeasuredLinks measured =
      options.link_costs.empty() ? planner::typical_links()
                                 : planner::read_links(text_of_file(options.link_costs), options.link_costs);
  planner::ClusterSetting setting = cluster_setting(options, ranks);
  setting.links = planner::links_of(measured, {nodes});
  if (measured.operations_per_s) setting.operations_per_s = *measured.operations_per_s;
  return setting;
}

/// The plan as JSON. `gathered`: what rank 0 needs of `bytes` for checkpoints.
std::string make_plan(const Model& model, planner::ClusterSetting setting, double bytes, double gathered) {
  setting.least_workspace_bytes = gathered;
  try {
    return planner::write_plan(planner::make_report(model.graph, setting, planner::Search::dp, bytes));
  } catch (const planner::Error& error) {
    if (gathered == 0) throw;
    throw Error(std::string(error.what()) + ", with " + base::describe_bytes(gathered) +
                " on rank 0 for the whole weights of a checkpoint");
  }
}

std::vector<planner::Strategy> strategies_in(const std::string& text, const std::string& name,
                                             const Model& model, int ranks) {
  return planner::strategies_for(planner::read_plan(text, name), name, model.graph, ranks);
}

std::vector<planner::Strategy> made_plan(const TrainerOptions& options, const Model& model,
                                         const std::optional<MemoryLimit>& limit,
                                         adasum::Communicator& communicator) {
  const std::vector<std::int64_t> nodes = ranks_of_nodes(communicator);
  const double own = limit ? limit->bytes_left : planner::no_limit;
  const std::vector<double> all = adasum::gather(communicator, own);
  const double least = std::ranges::min(all);
  const double gathered = checkpoint_bytes(model, options);
  // What rank 0 needs of `least` for checkpoints: nothing if it has as much more than the others.
  const double of_least = all[0] - gathered >= least ? 0 : gathered;
  std::string text;
  std::string problem;
  try {
    if (communicator.rank() == 0)
      text = make_plan(model, setting_on(nodes, options, communicator.size()), least, of_least);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  problem = text_of_first_rank(problem, communicator);
  if (!problem.empty()) throw Error("--parallel-mode auto_parallel: " + problem, Exit::refused);
  return strategies_in(text_of_first_rank(text, communicator), made_here, model, communicator.size());
}

std::string strategies_text(const std::vector<planner::Strategy>& strategies) {
  std::string text;
  for (const planner::Strategy& strategy : strategies) text += planner::describe(strategy) + "\n";
  return text;
}

/// Each rank reads the file on its node: an error of one is that of all.
std::vector<planner::Strategy> given_plan(const TrainerOptions& options, const Model& model,
                                          adasum::Communicator& communicator) {
  std::vector<planner::Strategy> strategies;
  std::string problem;
  try {
    strategies = strategies_in(text_of_file(options.plan), options.plan, model, communicator.size());
  } catch (const std::runtime_error& error) {
    problem = error.what();
  }
  const std::string mine = strategies_text(strategies);
  const bool differs = mine != text_of_first_rank(mine, communicator);
  if (differs && problem.empty()) problem = options.plan + ": another plan than that of rank 0";
  if (differs)
    problem = "rank " + std::to_string(communicator.world_rank(communicator.rank())) + ": " + problem +
              ": wanted the same file on every node (adarun train --stage " + options.plan + " copies it)";
  problem = first_text(problem, communicator);
  if (!problem.empty()) throw Error("--plan: " + problem, Exit::refused);
  return strategies;
}

}  // namespace

std::vector<planner::Strategy> plan_of_run(const TrainerOptions& options, const Model& model,
                                           const std::optional<MemoryLimit>& limit,
                                           adasum::Communicator& communicator, const Print& print) {
  if (!splits_layers(options)) return {};
  const bool is_given = !options.plan.empty();
  if (!is_given && communicator.size() == 1) return {};
  std::vector<planner::Strategy> strategies =
      is_given ? given_plan(options, model, communicator) : made_plan(options, model, limit, communicator);
  const auto is_split = [](const planner::Strategy& of) { return of.split != planner::LayerSplit::none; };
  const auto is_replicated = [&](const planner::Strategy& of) { return of.parts > 1 && !is_split(of); };
  const auto replicated = std::ranges::count_if(strategies, is_replicated);
  const std::string source =
      is_given ? options.plan
               : "auto_parallel, " + (options.link_costs.empty() ? "typical links" : options.link_costs);
  if (communicator.rank() == 0)
    print("plan: " + std::to_string(std::ranges::count_if(strategies, is_split)) + " of " +
          std::to_string(strategies.size()) + " layers are split (" + source + ")" +
          (replicated > 0 ? ", " + std::to_string(replicated) + " are computed by every rank of a replica"
                          : ""));
  return strategies;
}

}  // namespace adarun::trainer
