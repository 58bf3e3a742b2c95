// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/script_kinds.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/shell_word.h"
#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/script/batch_kinds.h"
#include "cli/commands/script/k8s_kind.h"
#include "cli/commands/script/script_notes.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

using templates::Values;

// Index of a node, from 0.
std::size_t index_of(const Values& node) {
  return std::stoul(node.texts.at("node"));
}

// Sorts nodes by their ranks: mpirun and msrun number ranks in the order of the nodes.
void sort_by_rank(std::vector<Values>& nodes) {
  std::stable_sort(nodes.begin(), nodes.end(), [](const Values& a, const Values& b) {
    return std::stoul(a.texts.at("rank_start")) < std::stoul(b.texts.at("rank_start"));
  });
}

// "4 5" -> "4,5"
std::string device_list(const Values& node) {
  std::string list = node.texts.at("devices");
  std::replace(list.begin(), list.end(), ' ', ',');
  return list;
}

bool are_even(const std::vector<Values>& nodes) {
  for (const Values& node : nodes)
    if (node.texts.at("device_count") != nodes.front().texts.at("device_count")) return false;
  return true;
}

void add_msrun(CLI::App& command, ScriptJob& job) {
  add_text(command, "--table-path", job.table_file, "PATH", "Where nodes have the rank table");
  add_number(command, "--master-port", job.master_port, {1024, 65535}, "Of the scheduler (default: 8118)");
}

// msrun puts "python" before every program except python, python3 and pytest; for FILE.py that is right.
bool is_started_as_it_is(const std::string& program) {
  return program == "python" || program == "python3" || program == "pytest" || program.ends_with(".py");
}

// Any other program is started by a Python that only executes it.
std::string msrun_words(const std::vector<std::string>& program) {
  constexpr const char* start = "python3 -c 'import os, sys; os.execvp(sys.argv[1], sys.argv[1:])'";
  return is_started_as_it_is(program.front()) ? shell_words(program).substr(1) : start + shell_words(program);
}

// msrun gives the ranks of a node the visible devices 0, 1, 2, ..., and numbers ranks in node order only if
// all nodes have the same number of ranks.
void complete_msrun(Values& values, const launcher::Placement& placement, const ScriptJob& job) {
  values.texts["script"] = msrun_words(job.program);
  const bool has_table = !is_plain(placement.table) && !job.table_file.empty();
  values.texts["rank_table"] =
      has_table ? " --rank_table_file=" + base::readable_word(job.table_file) : std::string();
  if (!has_table && !job.table_file.empty())
    std::fprintf(stderr,
                 "adarun: script msrun: warning: --table-path is left out: a table without card "
                 "addresses is none for MindSpore\n");
  std::vector<Values>& nodes = values.lists.at("nodes");
  sort_by_rank(nodes);
  const bool even = are_even(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool all = has_first_devices(placement.table.servers[index_of(nodes[i])]);
    nodes[i].texts["visible_devices"] = all ? "" : "ASCEND_RT_VISIBLE_DEVICES=" + device_list(nodes[i]) + " ";
    nodes[i].texts["node_rank"] = even ? " --node_rank=" + std::to_string(i) : std::string();
  }
  if (values.texts.at("master").find(':') != std::string::npos)
    std::fprintf(stderr, "adarun: script msrun: warning: %s: an IPv6 address, which msrun does not take\n",
                 values.texts.at("master").c_str());
}

void add_hostfile(CLI::App& command, ScriptJob& job) {
  add_choice<bool>(command, "--for", job.for_adarun, {{"mpirun", false}, {"adarun", true}},
                   "Who reads it: adarun's has devices and ports (default: mpirun)");
}

void complete_hostfile(Values& values, const launcher::Placement& placement, const ScriptJob& job) {
  sort_by_rank(values.lists.at("nodes"));
  for (Values& node : values.lists.at("nodes")) {
    const launcher::Host& host = placement.hosts[index_of(node)];
    const bool named = job.for_adarun && !has_first_devices(placement.table.servers[index_of(node)]);
    node.texts["login"] = host.user.empty() ? "" : host.user + "@";
    node.texts["settings"] =
        named ? "devices=" + device_list(node) : "slots=" + node.texts.at("device_count");
    if (job.for_adarun && host.port != 0) node.texts["settings"] += " port=" + std::to_string(host.port);
  }
  if (job.for_adarun) return;
  const ScriptNotes notes("script hostfile", placement);
  notes.tell_devices("left out: Open MPI has slots alone; for adarun: --for adarun");
  notes.tell_ports("Open MPI takes ssh's configuration; for adarun: --for adarun");
}

void complete_rankfile(Values&, const launcher::Placement& placement, const ScriptJob&) {
  const ScriptNotes notes("script rankfile", placement);
  notes.tell_devices("left out: Open MPI has processors alone");
  notes.tell_users("name them in ssh's configuration");
  notes.tell_ports("name them in ssh's configuration");
}

constexpr std::array<ScriptKind, 9> kinds{{
    {"node", "A run_node<i>.sh for each node, as the tutorials have them, and the rank table beside them",
     R"(
Examples:
  adarun script node -r hccl_2s_16p.json -o job -- python /share/train.py --epochs 90
  scp -r job node1: && ssh node1 bash job/run_node1.sh     and so on, on each node

A rank's folder is device<i> beside the script, with env.log and train.log. run_node<i>.sh --show-output also
shows what the ranks print.)",
     "run_node.sh", true, true, nullptr, nullptr},
    {"sbatch", "A batch script for Slurm that runs adarun launch --via slurm",
     R"(
Examples:
  adarun script sbatch --nodes 2 --ntasks-per-node 8 --time 2:00:00 -o job.sh -- ./train --lr 0.1
  adarun script sbatch -r hccl_2s_16p.json -- python train.py > job.sh
  sbatch job.sh

Nodes of a table or a list are asked for by name; of --nodes, Slurm chooses them.)",
     "sbatch.sh", false, true, add_sbatch, complete_sbatch, nullptr, nullptr, true, true},
    {"pbs", "A batch script for PBS that runs adarun launch --via pbs",
     R"(
Examples:
  adarun script pbs --nodes 2 --ntasks-per-node 8 --gpus-per-node 8 --time 2:00:00 -o job.sh -- ./train --lr 0.1
  adarun script pbs --hosts node[1-2]:8 -- python3 train.py > job.sh
  qsub job.sh

Nodes of a table or a list are asked for by name; of --nodes, PBS chooses them.)",
     "pbs.sh", false, true, add_pbs, complete_pbs, nullptr, nullptr, true, true},
    {"lsf", "A batch script for LSF that runs adarun launch --via lsf",
     R"(
Examples:
  adarun script lsf --nodes 2 --ntasks-per-node 8 --gpus-per-node 8 --time 2:00:00 -o job.sh -- ./train --lr 0.1
  adarun script lsf --hosts node[1-2]:8 -- python3 train.py > job.sh
  bsub < job.sh

Nodes of a table or a list are asked for by name; of --nodes, LSF chooses them.)",
     "lsf.sh", false, true, add_lsf, complete_lsf, nullptr, nullptr, true, true},
    {"flux", "A batch script for Flux that runs adarun launch --via flux",
     R"(
Examples:
  adarun script flux --nodes 2 --ntasks-per-node 8 --time 2:00:00 -o job.sh -- ./train --lr 0.1
  adarun script flux --hosts node[1-2]:8 -- python3 train.py > job.sh
  flux batch job.sh

Nodes of a table or a list are asked for by name; of --nodes, Flux chooses them.)",
     "flux.sh", false, true, add_flux, complete_flux, nullptr, nullptr, true, true},
    {"hostfile", "A hostfile for Open MPI's mpirun, or with --for adarun for adarun launch",
     R"(
Examples:
  adarun script hostfile -r hccl_2s_16p.json -o hosts && mpirun --hostfile hosts ./program
  adarun script hostfile --for adarun -r hccl_2s_16p.json -o hosts && adarun launch --hosts ./hosts -- ./program)",
     "hostfile", false, false, add_hostfile, complete_hostfile},
    {"rankfile", "A rankfile for Open MPI: which rank runs on which node",
     R"(
Example:
  adarun script rankfile -r hccl_2s_16p.json -o ranks && mpirun --rankfile ranks -n 16 ./program)",
     "rankfile", false, false, nullptr, complete_rankfile},
    {"msrun", "The msrun command line of each node",
     R"(
Example:
  adarun script msrun -r hccl_2s_16p.json --table-path /share/hccl_2s_16p.json -- train.py --epochs 90

msrun puts python before what it starts: another program than Python becomes that of a python3 -c.)",
     "msrun.sh", false, true, add_msrun, complete_msrun, nullptr, nullptr, false},
    {"k8s", "A Kubernetes manifest: an Indexed Job, a JobSet, or a Job for each node of a table",
     R"(
Examples:
  adarun script k8s --nodes 2 --resource nvidia.com/gpu=1 --image registry/train:1 -- python train.py > job.yaml
  adarun script k8s -r hccl_2s_16p.json --image registry/train:1 -- python train.py | kubectl create -f -
  adarun script k8s --jobset --nodes 3 --image registry/serve:1 --role prefill=0 -- ./prefill --role decode=1-2 -- ./decode

With --nodes, Kubernetes chooses the nodes, and pods find one another behind a headless Service. Of a table or a list,
each node has a Job of its own, bound to it. kubectl create takes manifests that are too long for apply. MPI is not served: see adarun launch --via kubectl.)",
     "job.yaml", false, true, add_k8s, complete_k8s, template_of_k8s, hosts_of_k8s},
}};

}  // namespace

const std::array<ScriptKind, 9>& script_kinds() {
  return kinds;
}

Values values_of_node(const Values& job, const Values& node) {
  Values values = job;
  for (const auto& [name, text] : node.texts) values.texts[name] = text;
  for (const auto& [name, list] : node.lists) values.lists[name] = list;
  return values;
}

std::string table_text_of(const launcher::Placement& placement) {
  return placement.table_text.empty() ? ranktable::write(placement.table) : placement.table_text;
}

}  // namespace adarun::cli
