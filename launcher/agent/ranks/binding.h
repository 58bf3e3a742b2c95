// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/protocol/process_limits.h"

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

/// Which CPUs each of a node's ranks is bound to. Ranks are spread evenly and in order: with 8 ranks on two
/// NUMA nodes, ranks 0-3 are on the first one.
class Binding {
 public:
  /// Binds nothing.
  Binding() = default;

  Binding(protocol::Bind bind, CpuTopology topology, std::size_t ranks);

  /// The CPUs of a local rank; empty: any.
  const Cpus& of(std::size_t local_rank) const;

  /// How many threads a local rank has CPUs for; 0 if it is not bound to a NUMA node.
  std::size_t threads_of(std::size_t local_rank) const;

  /// A one-line warning for the user if there are more ranks than cores, else empty.
  std::string warning() const;

 private:
  std::size_t group_of(std::size_t local_rank) const;

  protocol::Bind bind_ = protocol::Bind::none;
  std::vector<Cpus> groups_;
  std::size_t cores_ = 0;
  std::size_t ranks_ = 0;
};

}  // namespace adarun::launcher::agent
