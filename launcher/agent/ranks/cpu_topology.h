// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::launcher::agent {

/// Linux CPU numbers, ascending.
using Cpus = std::vector<int>;

/// The CPUs of a machine that we may use, by core and by NUMA node. Read from /sys/devices/system, which has
/// everything that binding needs; hwloc would add nothing.
struct CpuTopology {
  std::vector<Cpus> cores;       ///< Each with its hardware threads; cores of one NUMA node are adjacent.
  std::vector<Cpus> numa_nodes;  ///< Those with CPUs that we may use.
};

/// Reads `system` ("/sys/devices/system"), and omits CPUs that are not in `allowed`. A CPU without core
/// information is a core of its own; the CPUs without a NUMA node form one more node.
CpuTopology read_cpu_topology(const std::string& system, const Cpus& allowed);

/// The CPUs that this process may run on, by its affinity mask and cpuset.
Cpus own_cpus();

/// "0-3,8" -> 0 1 2 3 8. Stops at the first invalid item.
Cpus parse_cpus(const std::string& text);

/// The inverse of parse_cpus.
std::string describe_cpus(const Cpus& cpus);

}  // namespace adarun::launcher::agent
