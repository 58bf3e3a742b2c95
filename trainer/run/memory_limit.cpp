// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/memory_limit.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <sstream>

#include "base/describe.h"
#include "base/process.h"
#include "base/read_text.h"
#include "trainer/base/error.h"
#include "trainer/optimizers/sharded.h"
#include "trainer/planner/plan/plan.h"
#include "trainer/run/plan_of_run.h"

namespace adarun::trainer {
namespace {

/// The number that a file of the kernel begins with; nothing if it begins with none ("max").
std::optional<double> number_in(const std::string& file) {
  const std::string text = base::read_text(file);
  std::uint64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
  return static_cast<double>(number);
}

std::optional<MemoryLimit> limit_of_address_space() {
  rlimit limit{};
  const auto pages = number_in("/proc/self/statm");
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !pages) return std::nullopt;
  return MemoryLimit{
      static_cast<double>(limit.rlim_cur) - *pages * static_cast<double>(::sysconf(_SC_PAGESIZE)),
      "ulimit -v", 0};
}

/// The bytes of cached files in a group, by the lines "NAME NUMBER" of its memory.stat.
double cached_bytes(const std::string& folder) {
  std::istringstream lines(base::read_text(folder + "/memory.stat"));
  double sum = 0;
  std::string name;
  double number = 0;
  while (lines >> name >> number) {
    if (name == "active_file" || name == "inactive_file") sum += number;
  }
  return sum;
}

/// 0 if it is gone.
std::uint64_t inode_of(const std::string& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 ? status.st_ino : 0;
}

/// The control groups of the limits of all ranks, each as often as there are ranks in it. Collective.
std::vector<std::uint64_t> groups_on_node(const std::vector<MemoryLimit>& mine, adasum::Communicator& node) {
  constexpr std::size_t most_levels = 32;  // Of control groups around each other, whose limits are shared.
  std::array<std::uint64_t, most_levels> own{};
  for (std::size_t i = 0; i < std::min(mine.size(), most_levels); ++i) own[i] = mine[i].group;
  std::vector<std::uint64_t> of_all(most_levels * static_cast<std::size_t>(node.size()));
  node.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(of_all)));
  return of_all;
}

/// Options of `adarun plan` for this setting, of those that have another value by default.
std::string other_options(const planner::ClusterSetting& setting) {
  const planner::ClusterSetting usual;
  std::string text;
  if (setting.passes != usual.passes) text += " --micro-batches " + std::to_string(setting.passes);
  if (setting.optimizer_slots != usual.optimizer_slots)
    text += " --optimizer-slots " + std::to_string(setting.optimizer_slots);
  if (setting.reduce == planner::GradientReduce::mean) text += " --reduce mean";
  return text;
}

/// A command that plans this training.
std::string planning_command(const Model& model, const planner::ClusterSetting& setting,
                             const MemoryLimit& limit) {
  const auto megabytes = static_cast<std::uint64_t>(std::max(limit.bytes_left / 1e6, 1.0));
  return "adarun plan --ranks " + std::to_string(setting.ranks) + " --model " + model.name +
         " --batch-size " + std::to_string(setting.batch) + other_options(setting) + " --memory " +
         std::to_string(megabytes) + "M -o plan.json -- --image-size " + std::to_string(model.shape.side) +
         " --channels " + std::to_string(model.shape.channels) + " --num-classes " +
         std::to_string(model.shape.classes) + ", then --plan plan.json";
}

/// Whether a plan may be tried with options that save memory in other ways.
bool may_be_split(const TrainerOptions& options) {
  return !options.shard_optimizer && !options.elastic && options.precision == Precision::float32;
}

/// The optimizer's numbers that the rank with most of them does not have where they are divided among ranks.
double optimizer_bytes_of_others(const Model& model, const planner::ClusterSetting& setting) {
  std::vector<std::int64_t> counts;
  for (const TensorShape& tensor : model.parameters) counts.push_back(tensor.count());
  std::size_t most = 0;
  std::size_t all = 0;
  for (const adasum::Range& range : shards(counts, static_cast<int>(setting.ranks))) {
    most = std::max(most, range.size());
    all += range.size();
  }
  return static_cast<double>(all - most) * sizeof(float) * static_cast<double>(setting.optimizer_slots);
}

/// Weights and the optimizer's numbers.
double state_bytes(const Model& model, const TrainerOptions& options) {
  double values = 0;
  for (const TensorShape& tensor : model.parameters) values += static_cast<double>(tensor.count());
  return values * sizeof(float) * static_cast<double>(1 + cluster_setting(options, 1).optimizer_slots);
}

}  // namespace

std::vector<MemoryLimit> limits_of_groups(const std::string& folder) {
  std::vector<MemoryLimit> limits;
  for (std::filesystem::path group = folder; std::filesystem::exists(group / "cgroup.procs");
       group = group.parent_path()) {
    const auto most = number_in(group / "memory.max");
    const auto used = number_in(group / "memory.current");
    if (!most || !used) continue;
    limits.push_back(
        {*most - *used + cached_bytes(group), "memory.max of its control group", inode_of(group)});
  }
  return limits;
}

std::vector<MemoryLimit> memory_limits() {
  const auto folder =
      base::cgroup_folder(base::read_text("/proc/self/mountinfo"), base::read_text("/proc/self/cgroup"));
  std::vector<MemoryLimit> limits = folder ? limits_of_groups(*folder) : std::vector<MemoryLimit>{};
  if (const auto of_process = limit_of_address_space()) limits.push_back(*of_process);
  return limits;
}

std::optional<MemoryLimit> share_on_node(std::vector<MemoryLimit> limits, adasum::Communicator& node) {
  const std::vector<std::uint64_t> of_all = groups_on_node(limits, node);
  for (MemoryLimit& limit : limits) {
    const auto sharers = std::ranges::count(of_all, limit.group);
    if (limit.group == 0 || sharers <= 1) continue;
    limit.bytes_left /= static_cast<double>(sharers);
    limit.name = "its share of " + limit.name;
  }
  const auto narrowest = std::ranges::min_element(limits, {}, &MemoryLimit::bytes_left);
  return narrowest == limits.end() ? std::nullopt : std::optional(*narrowest);
}

std::optional<MemoryLimit> memory_limit_at_start(adasum::Communicator& node) {
  static std::mutex mutex;  // Ranks may be threads.
  static std::optional<std::optional<MemoryLimit>> known;
  const auto is_known = [] { return std::lock_guard(mutex), known.has_value(); };
  const std::optional<MemoryLimit> share =
      share_on_node(is_known() ? std::vector<MemoryLimit>{} : memory_limits(), node);
  const std::lock_guard lock(mutex);
  if (!known) known = share;
  return *known;
}

double checkpoint_bytes(const Model& model, const TrainerOptions& options) {
  return options.checkpoint_dir.empty() ? 0 : state_bytes(model, options);
}

void check_memory(const Model& model, const TrainerOptions& options, int rank, int ranks,
                  const std::vector<planner::Strategy>& strategies, const MemoryLimit& limit) {
  const planner::ClusterSetting setting = cluster_setting(options, ranks);
  const planner::ParallelPlan plan = strategies.empty() ? planner::data_parallel(model.graph, setting)
                                                        : planner::plan_of(model.graph, setting, strategies);
  const double of_others = options.shard_optimizer ? optimizer_bytes_of_others(model, setting) : 0;
  const double gathered = rank == 0 && !strategies.empty() ? checkpoint_bytes(model, options) : 0;
  const bool gathers = gathered > 0;
  // What it would continue from when others have ended, beside what it continues with.
  const double kept = options.elastic ? state_bytes(model, options) : 0;
  // The workspace is needed no more when a checkpoint is written.
  const double needed =
      plan.memory_bytes() + std::max(gathered - plan.workspace_bytes(), 0.0) + kept - of_others;
  if (needed <= limit.bytes_left) return;
  const auto [needed_text, left_text] = base::describe_too_many_bytes(needed, limit.bytes_left);
  const std::string wanted =
      "model " + model.name + ": a step of " + std::to_string(options.batch_size) + " images needs " +
      needed_text + (kept > 0 ? " (with a copy of the weights and the optimizer to continue from)" : "") +
      (gathers ? " (with the whole weights of a checkpoint) on rank 0, and " : " on each rank, and ") +
      limit.name + " leaves " + left_text;
  const std::string plan_it = ranks > 1 && !gathers && may_be_split(options)
                                  ? ": split it by a plan: " + planning_command(model, setting, limit)
                                  : "";
  throw Error(wanted + plan_it, Exit::refused);
}

}  // namespace adarun::trainer
