// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/agent/ranks/cpu_topology.h"
#include "launcher/protocol/process_limits.h"

namespace adarun::launcher::agent {

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
