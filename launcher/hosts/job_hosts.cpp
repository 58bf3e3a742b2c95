// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/job_hosts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>

#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/name_ranges.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"

namespace adarun::launcher {
namespace {

// With '/', so that read_hosts() takes it for a file.
JobHosts file_in(const Variable& variable, const char* name) {
  const char* path = variable(name);
  if (path == nullptr || *path == '\0') return {};
  const std::string file = path;
  return {file.find('/') == std::string::npos ? "./" + file : file, name};
}

constexpr int most_nodes = 65536;
constexpr int most_gpus_per_node = 65536;
constexpr std::size_t most_devices = std::size_t{1} << 20U;  // The limit of host lists too.

int count_in(std::string_view text, const std::string& whole, const std::string& where) {
  const std::optional<int> count = ranktable::parse_decimal(text);
  if (!count || *count < 1 || *count > most_nodes)
    throw Error(where + ": \"" + whole + "\": wanted counts such as 8(x2),4");
  return *count;
}

std::string required(const Variable& variable, const char* name) {
  const char* value = variable(name);
  if (value == nullptr || *value == '\0')
    throw Error(
        std::string(name) +
        " is not set: --via slurm runs inside an allocation, as in: salloc -N2 --ntasks-per-node=8 adarun "
        "launch --via slurm ./train");
  return value;
}

// Slurm's counts per node: "8(x2),4" -> 8 8 4.
std::vector<int> expand_counts(const std::string& text, const std::string& where) {
  std::vector<int> counts;
  for (std::string_view item : split_items(text)) {
    const std::size_t times = item.find("(x");
    const bool repeats = times != std::string_view::npos && item.ends_with(')');
    const int count = count_in(item.substr(0, repeats ? times : item.size()), text, where);
    const int nodes = repeats ? count_in(item.substr(times + 2, item.size() - times - 3), text, where) : 1;
    if (counts.size() + static_cast<std::size_t>(nodes) > most_nodes)
      throw Error(where + ": more than 65536 nodes");
    counts.insert(counts.end(), static_cast<std::size_t>(nodes), count);
  }
  return counts;
}

std::vector<int> counts_in(const Variable& variable, const char* name, std::size_t nodes) {
  std::vector<int> counts = expand_counts(required(variable, name), name);
  if (counts.size() != nodes)
    throw Error(std::string(name) + ": counts of " + std::to_string(counts.size()) + " nodes, wanted " +
                std::to_string(nodes) + " as in SLURM_JOB_NODELIST");
  return counts;
}

// "8", "a100:8"; "a100:4,h100:2" are all six.
int gpus_in(const std::string& text) {
  const std::string where = "SLURM_GPUS_PER_NODE";
  int gpus = 0;
  for (const std::string_view item : split_items(text)) {
    const std::size_t colon = item.rfind(':');
    gpus += count_in(item.substr(colon == std::string_view::npos ? 0 : colon + 1), text, where);
    if (gpus > most_gpus_per_node)
      throw Error(where + ": \"" + text + "\": more than " + std::to_string(most_gpus_per_node) +
                  " GPUs of a node");
  }
  return gpus;
}

std::vector<int> devices_in(const Variable& variable, std::size_t nodes) {
  if (const char* gpus = variable("SLURM_GPUS_PER_NODE")) return std::vector<int>(nodes, gpus_in(gpus));
  if (variable("SLURM_TASKS_PER_NODE") != nullptr) return counts_in(variable, "SLURM_TASKS_PER_NODE", nodes);
  return std::vector<int>(nodes, 1);
}

}  // namespace

std::vector<Host> read_job_hosts(const JobHosts& hosts) {
  try {
    return read_hosts(hosts.list, hosts.variable);
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(text.starts_with(hosts.variable) ? text : hosts.variable + ": " + text);
  }
}

JobHosts pbs_hosts(const Variable& variable) {
  return file_in(variable, "PBS_NODEFILE");
}

JobHosts lsf_hosts(const Variable& variable) {
  if (JobHosts file = file_in(variable, "LSB_DJOB_HOSTFILE"); !file.list.empty()) return file;
  const char* pairs = variable("LSB_MCPU_HOSTS");
  if (pairs == nullptr) return {};
  std::string list;
  std::istringstream words(pairs);
  for (std::string host, slots; words >> host;) {
    if (!(words >> slots))
      throw Error(std::string("LSB_MCPU_HOSTS: \"") + pairs +
                  "\": wanted hosts and slots such as node1 8 node2 8");
    const std::optional<int> count = ranktable::parse_decimal(slots);
    list += (list.empty() ? "" : ",") + host + ":" +
            (count && *count > 0 ? written_count(static_cast<std::size_t>(*count)) : slots);
  }
  return {list, "LSB_MCPU_HOSTS"};
}

JobHosts pod_hosts(const Variable& variable) {
  for (const char* name : {"OMPI_MCA_orte_default_hostfile", "HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"})
    if (JobHosts file = file_in(variable, name); !file.list.empty()) return file;
  const char* workers = variable("VC_WORKER_HOSTS");
  return workers == nullptr ? JobHosts() : JobHosts{workers, "VC_WORKER_HOSTS"};
}

Allocation read_allocation(const Variable& variable) {
  Allocation allocation{required(variable, "SLURM_JOB_ID"), {}, {}};
  const std::string list = required(variable, "SLURM_JOB_NODELIST");
  for (const std::string_view item : split_items(list))
    for (std::string& name : expand_names(item, "SLURM_JOB_NODELIST")) {
      if (allocation.hosts.size() == most_nodes)
        throw Error("SLURM_JOB_NODELIST: more than " + std::to_string(most_nodes) + " nodes");
      if (name.empty()) throw Error("SLURM_JOB_NODELIST: \"" + list + "\": a node without a name");
      if (!ranktable::is_server_name(name))
        throw Error("SLURM_JOB_NODELIST: node " + ranktable::in_quotes(name) + ": wanted " +
                    std::string(ranktable::server_name_letters));
      allocation.hosts.push_back({std::move(name), {}, {}, 0, true});
    }
  const std::vector<int> devices = devices_in(variable, allocation.hosts.size());
  if (std::accumulate(devices.begin(), devices.end(), std::size_t{0}) > most_devices)
    throw Error("SLURM_GPUS_PER_NODE, SLURM_TASKS_PER_NODE: more than " + std::to_string(most_devices) +
                " devices on all nodes");
  for (std::size_t i = 0; i < devices.size(); ++i) allocation.hosts[i].devices = first_devices(devices[i]);
  allocation.cpus = counts_in(variable, "SLURM_JOB_CPUS_PER_NODE", allocation.hosts.size());
  return allocation;
}

std::vector<int> cpus_of(const Allocation& allocation, const std::vector<Host>& hosts) {
  std::vector<int> cpus;
  for (const Host& host : hosts) {
    const auto found = std::find_if(allocation.hosts.begin(), allocation.hosts.end(),
                                    [&](const Host& each) { return each.name == host.name; });
    if (found == allocation.hosts.end())
      throw Error(host.name + ": is no node of Slurm's job " + allocation.job_id);
    cpus.push_back(allocation.cpus[static_cast<std::size_t>(found - allocation.hosts.begin())]);
  }
  return cpus;
}

}  // namespace adarun::launcher
