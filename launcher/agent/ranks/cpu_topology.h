// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::launcher::agent {

/// CPU numbers as Linux counts them, rising.
using Cpus = std::vector<int>;

/// The CPUs of a machine that we may use, in groups. All that binding ranks needs to know, read from
/// /sys/devices/system: hwloc knows much more of a machine, but nothing more of this.
struct CpuTopology {
  std::vector<Cpus> cores;       ///< Each with its hardware threads; those of one NUMA node side by side.
  std::vector<Cpus> numa_nodes;  ///< That have CPUs of ours.
};

/// Reads `system` ("/sys/devices/system"), and leaves out what is not among `allowed`. A CPU without a word
/// on its core is a core of its own, one without a NUMA node is in one of its own with others like it.
CpuTopology read_cpu_topology(const std::string& system, const Cpus& allowed);

/// The CPUs that this process may run on, as its affinity mask and its cpuset have it.
Cpus own_cpus();

/// "0-3,8" -> 0 1 2 3 8. What is no such text ends it.
Cpus parse_cpus(const std::string& text);

/// The other way round.
std::string describe_cpus(const Cpus& cpus);

}  // namespace adarun::launcher::agent
