// SPDX-License-Identifier: Apache-2.0
#include "trainer/memory_limit.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <span>
#include <sstream>

#include "base/cgroup_folder.h"
#include "base/describe.h"
#include "base/read_text.h"
#include "planner/plan/plan.h"
#include "trainer/base/error.h"
#include "trainer/cluster_setting.h"

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

std::string size_text(double bytes) {
  return base::describe_bytes(static_cast<std::uint64_t>(bytes > 0 ? bytes : 0));
}

}  // namespace

std::optional<MemoryLimit> limit_of_groups(const std::string& folder) {
  std::optional<MemoryLimit> narrowest;
  for (std::filesystem::path group = folder; std::filesystem::exists(group / "cgroup.procs");
       group = group.parent_path()) {
    const auto most = number_in(group / "memory.max");
    const auto used = number_in(group / "memory.current");
    if (!most || !used) continue;
    const double left = *most - *used + cached_bytes(group);
    if (!narrowest || left < narrowest->bytes_left)
      narrowest = {left, "memory.max of its control group", inode_of(group)};
  }
  return narrowest;
}

std::optional<MemoryLimit> memory_limit() {
  std::optional<MemoryLimit> narrowest = limit_of_address_space();
  const auto folder =
      base::cgroup_folder(base::read_text("/proc/self/mountinfo"), base::read_text("/proc/self/cgroup"));
  const auto group = folder ? limit_of_groups(*folder) : std::nullopt;
  if (group && (!narrowest || group->bytes_left < narrowest->bytes_left)) narrowest = group;
  return narrowest;
}

std::optional<MemoryLimit> share_on_node(std::optional<MemoryLimit> limit, adasum::Communicator& node) {
  const std::uint64_t own = limit ? limit->group : 0;
  std::vector<std::uint64_t> groups(static_cast<std::size_t>(node.size()));
  node.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(groups)));
  const auto sharers = std::ranges::count(groups, own);
  if (own == 0 || sharers == 1) return limit;
  limit->bytes_left /= static_cast<double>(sharers);
  limit->name = "its share of " + limit->name;
  return limit;
}

double checkpoint_bytes(const Model& model, const TrainerOptions& options) {
  if (options.checkpoint_dir.empty()) return 0;
  double values = 0;
  for (const TensorShape& tensor : model.parameters) values += static_cast<double>(tensor.count());
  return values * sizeof(float) * static_cast<double>(1 + cluster_setting(options, 1).optimizer_slots);
}

void check_memory(const Model& model, const TrainerOptions& options, int rank, int ranks,
                  const std::vector<planner::Strategy>& strategies, const MemoryLimit& limit) {
  const planner::ClusterSetting setting = cluster_setting(options, ranks);
  const planner::ParallelPlan plan = strategies.empty() ? planner::data_parallel(model.graph, setting)
                                                        : planner::plan_of(model.graph, setting, strategies);
  const double gathered = rank == 0 && !strategies.empty() ? checkpoint_bytes(model, options) : 0;
  const bool gathers = gathered > 0;
  const double needed = plan.memory_bytes() + gathered;
  if (needed <= limit.bytes_left) return;
  const std::string wanted =
      "model " + model.name + ": a step of " + std::to_string(options.batch_size) + " images needs " +
      size_text(needed) +
      (gathers ? " (with the whole weights of a checkpoint) on rank 0, and " : " on each rank, and ") +
      limit.name + " leaves " + size_text(limit.bytes_left);
  const std::string plan_it =
      ranks > 1 && !gathers ? ": split it by a plan: " + planning_command(model, setting, limit) : "";
  throw Error(wanted + plan_it, Exit::refused);
}

}  // namespace adarun::trainer
