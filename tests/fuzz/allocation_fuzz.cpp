// SPDX-License-Identifier: Apache-2.0
// Lines as the variables that Slurm sets: any lines give hosts to run ranks on, or an Error that names a
// variable.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "launcher/base/error.h"
#include "launcher/hosts/job_hosts.h"
#include "ranktable/model/server_name.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace launcher = adarun::launcher;

FUZZ_TARGET(allocation) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
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
  return 0;
}
