// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/file_descriptor.h"
#include "base/read_text.h"
#include "base/unnamed_file.h"
#include "cli/arguments/launch_options.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/placement.h"
#include "cli/commands/commands.h"
#include "cli/commands/plan_picture.h"
#include "cli/commands/train.h"
#include "cli/console/print.h"
#include "cli/view/background_program.h"
#include "monitor/plot/picture.h"
#include "ranktable/model/read_start.h"
#include "ranktable/model/table.h"
#include "ranktable/write.h"
#include "trainer/planner/json/graph_json.h"
#include "trainer/planner/json/links_json.h"
#include "trainer/planner/json/plan_json.h"
#include "trainer/planner/plan/report.h"

namespace adarun::cli {
namespace {

constexpr int usual_node_ranks = 8;
constexpr std::chrono::seconds profile_timeout{120};
constexpr double usual_operations_per_s = 10e9;

constexpr const char* plan_help = R"(
Says for each layer how the ranks share it: "data 16" (each has its samples), "outputs 4x4" (4 replicas, in each 4
ranks with a part of the output channels), "inputs 2x8" (of the input channels), "replicated 4x4" (all of it). Behind --
stand options of adarun-trainer profile, for a model by its name: -- --image-size 64 --num-classes 1000.

Examples:
  adarun plan -r hccl_2s_16p.json --model resnet50 -- --num-classes 100000
  adarun plan --hosts node[1-2]:8 --model vgg.json --costs costs.json --memory 16G -o plan.json
  adarun plan --ranks 64 --model vgg.json --plot plan.svg

Exit status: 0 a plan was found, 1 none fits, 2 wrong usage, 3 could not do it.)";

struct PlanOptions {
  LaunchOptions where;
  int ranks = 0;       // 0: those of the table or hosts
  int node_ranks = 0;  // 0: not given, 8
  std::string model;
  int batch = 32;
  int micro_batches = 1;
  std::optional<std::uint64_t> memory_bytes;
  std::string costs;
  int optimizer_slots = 1;
  std::optional<planner::Search> search;
  planner::GradientReduce reduce = planner::GradientReduce::adasum;
  std::string evaluated;
  std::string out;
  std::string plot;
  bool json = false;
};

bool is_file_name(const std::string& model) {
  return model.find('/') != std::string::npos || model.ends_with(".json");
}

std::string text_of_file(const std::string& path) {
  return or_exit<std::exception>(exit_usage,
                                 [&] { return ranktable::read_start(path, planner::most_file_bytes + 1); });
}

// The model as the trainer knows it, without times.
std::string graph_from_trainer(const std::string& model, const std::vector<std::string>& more) {
  const base::FileDescriptor output = base::memory_file();
  if (!output) throw ExitError(exit_failed, "no memory for the output of adarun-trainer");
  const std::string file = "/proc/self/fd/" + std::to_string(output.get());
  std::vector<std::string> argv{trainer_program(""), "profile", "--no-times", "--model", model};
  argv.insert(argv.end(), more.begin(), more.end());
  const BackgroundProgram program(argv, output.get());
  const bool done = program.succeeds_within(profile_timeout);
  std::string text = base::read_text(file);
  if (done) return text;
  if (text.empty())
    text = argv.front() + " cannot be run; a model can also be a file (adarun-trainer profile -o FILE)";
  const std::string own = "adarun-trainer: ";
  throw ExitError(exit_usage, "--model " + model + ": " +
                                  base::clean_line(text.starts_with(own) ? text.substr(own.size()) : text));
}

planner::ModelGraph graph_of(const PlanOptions& options, const Invocation& invocation) {
  if (!is_file_name(options.model))
    return planner::read_graph(graph_from_trainer(options.model, invocation.trailing),
                               "adarun-trainer profile");
  if (!invocation.trailing.empty())
    throw ExitError(exit_usage,
                    "options behind -- are for a model by its name, and " + options.model + " is a file");
  return planner::read_graph(text_of_file(options.model), options.model);
}

// Those of the servers of each super pod, in the order of the table.
std::vector<std::int64_t> pods_of(const ranktable::Table& table) {
  std::vector<std::int64_t> pods;
  for (const ranktable::SuperPod& pod : table.super_pods) {
    std::int64_t ranks = 0;
    for (const ranktable::SuperPodMember& member : pod.servers) {
      for (const ranktable::Server& server : table.servers) {
        if (server.server_id == member.server_id) ranks += static_cast<std::int64_t>(server.devices.size());
      }
    }
    pods.push_back(ranks);
  }
  return pods;
}

planner::RankSpread spread_of(const PlanOptions& options) {
  planner::RankSpread spread;
  if (options.ranks == 0) {
    const ranktable::Table table = place(options.where).table;
    for (const ranktable::Server& server : table.servers)
      spread.nodes.push_back(static_cast<std::int64_t>(server.devices.size()));
    spread.pods = pods_of(table);
    return spread;
  }
  const int of_node = options.node_ranks > 0 ? options.node_ranks : usual_node_ranks;
  for (int first = 0; first < options.ranks; first += of_node)
    spread.nodes.push_back(std::min(of_node, options.ranks - first));
  return spread;
}

planner::ClusterSetting setting_of(const PlanOptions& options, const planner::MeasuredLinks& measured) {
  const planner::RankSpread spread = spread_of(options);
  planner::ClusterSetting setting;
  setting.ranks = 0;
  for (const std::int64_t ranks : spread.nodes) setting.ranks += ranks;
  setting.batch = options.batch;
  setting.passes = options.micro_batches;
  setting.optimizer_slots = options.optimizer_slots;
  setting.operations_per_s = measured.operations_per_s.value_or(usual_operations_per_s);
  setting.links = planner::links_of(measured, spread);
  setting.reduce = options.reduce;
  return setting;
}

std::string milliseconds(double of_s) {
  return with_digits("%.3f ms", 1e3 * of_s);
}

/// " (1.13 times as long)"; empty where nothing takes time.
std::string times_as_long(double longer_s, double of_s) {
  return of_s > 0 ? with_digits(" (%.2f times as long)", longer_s / of_s) : "";
}

void print_plan(const planner::PlanReport& report) {
  const planner::ParallelPlan& plan = report.plan;
  const planner::ParallelPlan& data = report.data_parallel;
  std::printf("%s on %lld ranks, %lld samples each\n\n%s\n", base::clean_line(plan.model).c_str(),
              static_cast<long long>(plan.ranks), static_cast<long long>(plan.batch),
              columns(planner::rows(plan)).c_str());
  std::printf("a step: %s; data parallel: %s%s\n", milliseconds(plan.seconds()).c_str(),
              milliseconds(data.seconds()).c_str(), times_as_long(data.seconds(), plan.seconds()).c_str());
  std::printf("memory of a rank: %s; data parallel: %s\n", base::describe_bytes(plan.memory_bytes()).c_str(),
              base::describe_bytes(data.memory_bytes()).c_str());
  std::printf("what limits it: %s\n", planner::describe_bound(report).c_str());
}

bool has_all_times(const planner::ModelGraph& graph) {
  for (const planner::Layer& layer : graph.layers) {
    if (!layer.time) return false;
  }
  return true;
}

void print_assumptions(const PlanOptions& options, const planner::MeasuredLinks& measured,
                       const planner::ModelGraph& graph) {
  if (options.costs.empty()) std::printf("not measured: links; typical ones are assumed (--costs FILE)\n");
  if ((!has_all_times(graph) || !graph.weight_time) && !measured.operations_per_s)
    std::printf(
        "not measured: times of %s; %.0f GFLOP/s a rank are assumed (adarun-trainer profile -o FILE)\n",
        has_all_times(graph) ? "weights" : "layers", usual_operations_per_s / 1e9);
}

void check_place(const PlanOptions& options) {
  const bool has_place = !options.where.table_file.empty() || has_hosts(options.where);
  if (options.ranks > 0 && has_place)
    throw ExitError(exit_usage, "--ranks: not with a table or hosts, which say how many there are");
  if (options.ranks == 0 && !has_place)
    throw ExitError(exit_usage, "say for which ranks: -r TABLE, --hosts LIST or --ranks N");
  if (options.node_ranks > 0 && options.ranks == 0)
    throw ExitError(exit_usage, "--node-ranks: only with --ranks; a table or hosts say how many a node has");
  if (!options.evaluated.empty() && (options.memory_bytes || options.search))
    throw ExitError(exit_usage, "--evaluate: not with --memory or --search: this plan is there already");
}

void check_batch(const PlanOptions& options) {
  if (options.batch % options.micro_batches != 0)
    throw ExitError(exit_usage, "--batch-size " + std::to_string(options.batch) +
                                    ": not a multiple of --micro-batches " +
                                    std::to_string(options.micro_batches));
}

planner::PlanReport report_of(const PlanOptions& options, const planner::ModelGraph& graph,
                              const planner::ClusterSetting& setting) {
  if (!options.evaluated.empty()) {
    const planner::StoredPlan plan = planner::read_plan(text_of_file(options.evaluated), options.evaluated);
    return planner::report_on(graph, setting,
                              planner::strategies_for(plan, options.evaluated, graph, setting.ranks));
  }
  const double most_bytes =
      options.memory_bytes ? static_cast<double>(*options.memory_bytes) : planner::no_limit;
  return planner::make_report(graph, setting, options.search.value_or(planner::Search::dp), most_bytes);
}

void write_and_say(const std::string& file, std::string_view content) {
  ranktable::write_file(file, content);
  say_written(file);
}

int run_plan(const PlanOptions& options, const Invocation& invocation) {
  check_place(options);
  check_batch(options);
  try {
    const planner::MeasuredLinks measured =
        options.costs.empty() ? planner::typical_links()
                              : planner::read_links(text_of_file(options.costs), options.costs);
    const planner::ModelGraph graph = graph_of(options, invocation);
    const planner::PlanReport report = report_of(options, graph, setting_of(options, measured));
    const std::string json = planner::write_plan(report);
    if (options.json) {
      std::printf("%s", base::escape_controls(json).c_str());
    } else {
      print_plan(report);
      print_assumptions(options, measured, graph);
    }
    if (!options.out.empty()) write_and_say(options.out, json);
    if (!options.plot.empty())
      write_and_say(options.plot, monitor::plot::picture(plan_picture(report), options.plot));
    return exit_done;
  } catch (const planner::Infeasible& error) {
    throw ExitError(exit_no, error.what());
  } catch (const planner::Error& error) {
    throw ExitError(exit_usage, error.what());
  }
}

}  // namespace

void add_plan(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand("plan", "Find the fastest way to split a model over ranks");
  add_where(*command, options->where);
  options->where.log = &invocation.log;
  add_number(*command, "--ranks", options->ranks, {1, 1 << 20},
             "So many ranks, in place of a table or hosts");
  add_number(*command, "--node-ranks", options->node_ranks, {1, 1 << 16},
             "Of a node, with --ranks (default 8)");
  command
      ->add_option("--model", options->model, "A model of adarun-trainer, or a file that its profile wrote")
      ->required()
      ->type_name("NAME|FILE");
  add_number(*command, "--batch-size", options->batch, {1, 1 << 20}, "Samples of each rank (default 32)");
  add_number(*command, "--micro-batches", options->micro_batches, {1, 1 << 20},
             "Parts in which a batch goes through the model (default 1): less memory for activations");
  add_size(
      *command, "--memory", options->memory_bytes, 1,
      "Of a rank, at most: weights, gradients, optimizer, activations, the largest layer's new gradients");
  add_text(*command, "--costs", options->costs, "FILE", "Measured links (default: typical ones)");
  add_number(*command, "--optimizer-slots", options->optimizer_slots, {0, 16},
             "Numbers that the optimizer keeps of a weight: SGD 0, momentum 1 (default), Adam 2");
  add_choice<planner::GradientReduce>(
      *command, "--reduce", options->reduce,
      {{"adasum", planner::GradientReduce::adasum}, {"mean", planner::GradientReduce::mean}},
      "How gradients are combined over replicas: adasum (default), mean");
  add_choice<planner::Search>(*command, "--search", options->search,
                              {{"dp", planner::Search::dp},
                               {"recursive", planner::Search::recursive},
                               {"exhaustive", planner::Search::exhaustive}},
                              "dp finds the best (default); recursive is quick; exhaustive tries all");
  add_text(*command, "--evaluate", options->evaluated, "FILE",
           "Say what this plan costs, instead of finding the best");
  add_text(*command, "-o,--out", options->out, "FILE", "Write the plan to this file");
  add_text(*command, "--plot", options->plot, "FILE.svg|FILE.png", "Draw the plan as a picture")
      ->check(CLI::Validator(monitor::plot::picture_problem, ""));
  command->add_flag("--json", options->json, "Print the plan as JSON");
  command->footer(plan_help);
  command->callback([options, &invocation] { invocation.exit_status = run_plan(*options, invocation); });
}

}  // namespace adarun::cli
