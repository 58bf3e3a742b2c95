// SPDX-License-Identifier: Apache-2.0
#include "cli/script_kinds.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <regex>
#include <string_view>

#include "cli/command.h"
#include "cli/quantity_option.h"
#include "launcher/hosts/fold.h"
#include "launcher/shell_word.h"
#include "ranktable/write.h"
#include "templates/built_in.h"

namespace adarun::cli {
namespace {

using templates::Values;

constexpr std::size_t max_config_map_bytes = 1'000'000;  // Kubernetes takes 1 MiB with names and all.

bool are_even(const std::vector<Values>& nodes) {
  for (const Values& node : nodes)
    if (node.texts.at("device_count") != nodes.front().texts.at("device_count")) return false;
  return true;
}

void add_msrun(CLI::App& command, ScriptJob& job) {
  command.add_option("--table-path", job.table_file, "Where nodes have the rank table")->type_name("PATH");
  add_number(command, "--master-port", job.master_port, {1024, 65535}, "Of the scheduler (default: 8118)");
}

// msrun runs FILE.py with its own Python, and gives nodes ranks in their order only where all are alike.
void complete_msrun(Values& values, const Placement& placement, const ScriptJob& job) {
  std::string words;
  for (std::size_t i = 0; i < job.program.size(); ++i) {
    const bool python = i == 0 && job.program.size() > 1 &&
                        job.program[0].find("python") != std::string::npos &&
                        std::string_view(job.program[1]).ends_with(".py");
    if (!python) words += (words.empty() ? "" : " ") + launcher::readable_word(job.program[i]);
  }
  values.texts["script"] = words;
  const bool has_table = !is_plain(placement.table) && !job.table_file.empty();
  values.texts["rank_table"] =
      has_table ? " --rank_table_file=" + launcher::readable_word(job.table_file) : std::string();
  const bool even = are_even(values.lists.at("nodes"));
  for (Values& node : values.lists.at("nodes"))
    node.texts["node_rank"] = even ? " --node_rank=" + node.texts.at("node") : std::string();
}

void add_k8s(CLI::App& command, ScriptJob& job) {
  command.add_option("--image", job.image, "Of the containers")->type_name("IMAGE");
  command.add_option("--name", job.name, "Of the Jobs (default: adarun)")->type_name("NAME");
}

void complete_k8s(Values& values, const Placement& placement, const ScriptJob& job) {
  if (job.image.empty()) throw Quit(exit_usage, "script k8s: --image is required");
  const std::string table = table_text_of(placement);
  const templates::Template run_node("run_node.sh", templates::built_in("run_node.sh"));
  std::size_t bytes = table.size();
  values.texts["table"] = table;
  for (Values& node : values.lists.at("nodes")) {
    const std::string& number = node.texts.at("number");
    const std::string script = run_node.render(values_of_node(values, node), script_filters());
    bytes += script.size();
    node.texts["run_node"] = script;
    node.texts["job"] = job.name + "-" + number;
    node.texts["start"] =
        "mkdir -p /adarun/work && cd /adarun/work && cp /adarun/job/rank_table.json /adarun/job/run_node" +
        number + ".sh . && exec bash run_node" + number + ".sh";
    node.lists["limits"] = {};
    if (!is_plain(placement.table))
      node.lists["limits"].push_back(
          {{{"resource", "huawei.com/Ascend910"}, {"count", node.texts.at("device_count")}}, {}});
  }
  if (bytes > max_config_map_bytes)
    throw Quit(exit_no, "script k8s: rank table and scripts have " + std::to_string(bytes) +
                            " bytes, and a ConfigMap holds 1 MB; adarun script node writes them as files");
}

std::string check_time_limit(const std::string& text) {
  static const std::regex forms("([0-9]+-)?[0-9]+(:[0-9]+){0,2}");
  return std::regex_match(text, forms)
             ? std::string()
             : "\"" + text + "\": wanted a limit as Slurm takes it, such as 2:00:00";
}

void add_sbatch(CLI::App& command, ScriptJob& job) {
  add_number(command, "--nodes", job.node_count, {1, 65536}, "So many nodes, chosen by Slurm");
  command.get_option("--nodes")->excludes("--hosts")->excludes("--rank-table");
  add_number(command, "--ntasks-per-node", job.tasks_per_node, {1, 65536},
             "Ranks on each of them (default: 1)");
  command.get_option("--ntasks-per-node")->needs("--nodes");
  command.add_option("--time", job.time_limit, "Limit of the job (default: the site's)")
      ->check(check_time_limit)
      ->type_name("[D-]H:M:S");
  command.add_option("--name", job.name, "Of the job (default: adarun)")->type_name("NAME");
}

void complete_sbatch(Values& values, const Placement& placement, const ScriptJob& job) {
  std::vector<std::string> names;
  std::size_t tasks = placement.hosts.empty() ? static_cast<std::size_t>(job.tasks_per_node) : 1;
  for (std::size_t node = 0; node < placement.hosts.size(); ++node) {
    names.push_back(placement.hosts[node].name);
    tasks = std::max(tasks, placement.table.servers[node].devices.size());
  }
  values.texts["tasks_per_node"] = std::to_string(tasks);
  values.texts["adarun"] = std::filesystem::read_symlink("/proc/self/exe");
  values.texts["where"] = shell_words(job.where);
  values.lists["nodelist"] = {};
  if (!names.empty()) values.lists["nodelist"].push_back({{{"hosts", launcher::fold_names(names)}}, {}});
  values.lists["time_limit"] = {};
  if (!job.time_limit.empty()) values.lists["time_limit"].push_back({{{"time", job.time_limit}}, {}});
}

constexpr std::array<ScriptKind, 6> kinds{{
    {"node", "A run_node<i>.sh for each node, as the tutorials have them, and the rank table beside them",
     R"(
Examples:
  adarun script node -r hccl_2s_16p.json -o job -- python /share/train.py --epochs 90
  scp -r job node1: && ssh node1 bash job/run_node1.sh     and so on, on each node

A rank's folder is device<i> beside the script, with env.log and train.log.)",
     "run_node.sh", ScriptKind::Output::file_per_node, true, nullptr, nullptr},
    {"sbatch", "A batch script for Slurm that runs adarun launch --via slurm",
     R"(
Examples:
  adarun script sbatch --nodes 2 --ntasks-per-node 8 --time 2:00:00 -o job.sh -- ./train --lr 0.1
  adarun script sbatch -r hccl_2s_16p.json -- python train.py > job.sh
  sbatch job.sh

Nodes of a table or a list are asked for by name; of --nodes, Slurm chooses them.)",
     "sbatch.sh", ScriptKind::Output::stream, true, add_sbatch, complete_sbatch},
    {"hostfile", "A hostfile as Open MPI's mpirun and adarun take it",
     R"(
Example:
  adarun script hostfile -r hccl_2s_16p.json -o hosts && mpirun --hostfile hosts ./program)",
     "hostfile", ScriptKind::Output::stream, false, nullptr, nullptr},
    {"rankfile", "A rankfile for Open MPI: which rank runs on which node",
     R"(
Example:
  adarun script rankfile -r hccl_2s_16p.json -o ranks && mpirun --rankfile ranks -n 16 ./program)",
     "rankfile", ScriptKind::Output::stream, false, nullptr, nullptr},
    {"msrun", "The msrun command line of each node",
     R"(
Example:
  adarun script msrun -r hccl_2s_16p.json --table-path /share/hccl_2s_16p.json -- train.py --epochs 90)",
     "msrun.sh", ScriptKind::Output::stream, true, add_msrun, complete_msrun},
    {"k8s", "A Kubernetes manifest: a Job for each node of the table, on that node",
     R"(
Example:
  adarun script k8s -r hccl_2s_16p.json --image registry/train:1 -- python train.py | kubectl apply -f -)",
     "job.yaml", ScriptKind::Output::stream, true, add_k8s, complete_k8s},
}};

}  // namespace

const std::array<ScriptKind, 6>& script_kinds() {
  return kinds;
}

Values values_of_node(const Values& job, const Values& node) {
  Values values = job;
  for (const auto& [name, text] : node.texts) values.texts[name] = text;
  for (const auto& [name, list] : node.lists) values.lists[name] = list;
  return values;
}

std::string table_text_of(const Placement& placement) {
  return placement.table_text.empty() ? ranktable::write(placement.table) : placement.table_text;
}

}  // namespace adarun::cli
