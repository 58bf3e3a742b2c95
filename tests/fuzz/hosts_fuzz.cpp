// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/base/error.h"
#include "launcher/hosts/ansible_inventory.h"
#include "launcher/hosts/host_list.h"
#include "launcher/hosts/hostfile.h"
#include "launcher/hosts/job_hosts.h"
#include "ranktable/model/server_name.h"
#include "tests/fuzz/fuzz.h"

namespace launcher = adarun::launcher;

namespace {

bool is_usable_host(const launcher::Host& host) {
  const std::set<int> devices(host.devices.begin(), host.devices.end());
  return adarun::ranktable::is_server_name(host.name) && !devices.empty() &&
         devices.size() == host.devices.size() && *devices.begin() >= 0 && host.port >= 0 &&
         host.port <= 65535;
}

// Host lists and hostfiles: the first byte selects the parser. Any bytes give hosts to run ranks on or an
// Error.
void fuzz_hosts(std::string_view text) {
  const unsigned choice = take_byte(text);
  try {
    const std::vector<launcher::Host> hosts =
        choice % 2 == 0 ? launcher::parse_host_list(text) : launcher::parse_hostfile(text, "fuzz");
    std::set<std::string_view> names;
    for (const launcher::Host& host : hosts) demand(is_usable_host(host) && names.insert(host.name).second);
    demand(!hosts.empty());
  } catch (const launcher::Error&) {
  }
}

// Any text is a map of server_ids to hosts that can be connected to, each host once, or an Error.
void fuzz_host_map(std::string_view text) {
  try {
    std::set<std::string_view> names;
    const launcher::HostMap map = launcher::parse_host_map(text, "fuzz");
    for (const auto& [server, host] : map) {
      demand(!server.empty() && !host.name.empty() && host.port >= 0 && host.port <= 65535);
      demand(names.insert(host.name).second);
    }
  } catch (const launcher::Error& error) {
    demand(std::string_view(error.what()).starts_with("fuzz"));
  }
}

// Any text is an inventory of hosts to run ranks on, which may have two names for one host, or an Error.
void fuzz_inventory(std::string_view text) {
  const std::string group(take_line(text));
  try {
    const std::vector<launcher::Host> hosts = launcher::parse_inventory(text, "fuzz", group);
    for (const launcher::Host& host : hosts) demand(is_usable_host(host));
    demand(!hosts.empty());
  } catch (const launcher::Error& error) {
    demand(std::string_view(error.what()).starts_with("fuzz"));
  }
}

// Lines as the variables that Slurm sets: any lines give hosts to run ranks on, or an Error that names a
// variable.
void fuzz_allocation(std::string_view text) {
  std::map<std::string, std::string, std::less<>> variables;
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_JOB_CPUS_PER_NODE",
                           "SLURM_GPUS_PER_NODE", "SLURM_TASKS_PER_NODE"})
    if (const std::string_view value = take_line(text); !value.empty())
      variables[name] = value.substr(0, value.find('\0'));
  const auto variable = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  try {
    const launcher::Allocation allocation = launcher::read_allocation(variable);
    demand(!allocation.hosts.empty() && allocation.cpus.size() == allocation.hosts.size());
    for (const launcher::Host& host : allocation.hosts)
      demand(adarun::ranktable::is_server_name(host.name) && !host.devices.empty());
    demand(launcher::cpus_of(allocation, allocation.hosts).size() == allocation.cpus.size());
  } catch (const launcher::Error& error) {
    demand(std::string_view(error.what()).find("SLURM") != std::string_view::npos);
  }
}

const FuzzTargets hosts_targets{
    {"hosts", fuzz_hosts},
    {"host_map", fuzz_host_map},
    {"inventory", fuzz_inventory},
    {"allocation", fuzz_allocation},
};

}  // namespace
