// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/binding.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace adarun::launcher::agent {

Binding::Binding(protocol::Bind bind, CpuTopology topology, std::size_t ranks)
    : bind_(bind),
      groups_(bind == protocol::Bind::core   ? topology.cores
              : bind == protocol::Bind::numa ? std::move(topology.numa_nodes)
                                             : std::vector<Cpus>()),
      cores_(topology.cores.size()),
      ranks_(ranks == 0 ? 1 : ranks) {}

std::size_t Binding::group_of(std::size_t local_rank) const {
  assert(ranks_ > 0);
  return local_rank * groups_.size() / ranks_;
}

const Cpus& Binding::of(std::size_t local_rank) const {
  static const Cpus any;
  return groups_.empty() ? any : groups_[group_of(local_rank)];
}

std::size_t Binding::threads_of(std::size_t local_rank) const {
  if (bind_ != protocol::Bind::numa || groups_.empty()) return 0;
  std::size_t sharing = 1;  // itself
  for (std::size_t other = 0; other < ranks_; ++other)
    if (other != local_rank && group_of(other) == group_of(local_rank)) ++sharing;
  return std::max<std::size_t>(1, of(local_rank).size() / sharing);
}

std::string Binding::warning() const {
  if (groups_.empty() || ranks_ <= cores_) return "";
  return "--bind: " + std::to_string(ranks_) + " ranks share " + std::to_string(cores_) +
         (cores_ == 1 ? " core" : " cores");
}

}  // namespace adarun::launcher::agent
