// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/rank_resources.h"

#include <algorithm>
#include <cstddef>

#include "launcher/agent/ranks/binding.h"
#include "launcher/agent/ranks/network_interface.h"

namespace adarun::launcher::agent {
namespace {

// Some of the node's ranks may have ended before it got them.
std::size_t local_size(const protocol::Start& start) {
  std::size_t size = start.ranks.size();
  for (const protocol::RankSpec& part : start.ranks)
    size = std::max<std::size_t>(size, std::size_t{part.local_rank} + 1);
  return size;
}

Binding binding_for(const protocol::Start& start) {
  if (start.process_limits.bind == protocol::Bind::none) return {};
  return {start.process_limits.bind, read_cpu_topology("/sys/devices/system", own_cpus()), local_size(start)};
}

// A job on one node has no other nodes to reach.
std::vector<std::string> variables_for(const protocol::Start& start, const Environment& environment) {
  if (start.nodes.size() < 2) return {};
  const std::string* connection = environment.find("SSH_CONNECTION");
  const auto interface =
      interface_towards_others(interfaces(), start.addresses, connection ? *connection : "");
  return interface ? interface_variables(*interface, network_of_node()) : std::vector<std::string>();
}

}  // namespace

RankResources::RankResources(const protocol::Start& start, const Environment& environment)
    : wanted_(start.process_limits),
      binding_(binding_for(start)),
      interface_variables_(variables_for(start, environment)),
      cgroup_(Cgroup::make(start.job_id + "-" + std::to_string(start.node))) {}

void RankResources::add_defaults(const protocol::RankSpec& part, Environment& environment) const {
  if (const std::size_t threads = binding_.threads_of(part.local_rank); threads > 0)
    environment.set_default("OMP_NUM_THREADS=" + std::to_string(threads));
  for (const std::string& variable : interface_variables_) environment.set_default(variable);
  if (const std::string cpus = cpus_of(part); !cpus.empty()) environment.set("ADARUN_CPUS=" + cpus);
}

RankResources::AssignedResources RankResources::give(const protocol::RankSpec& part) const {
  AssignedResources given;
  given.settings.cpus = binding_.of(part.local_rank);
  given.settings.umask = wanted_.umask;
  given.settings.limits = wanted_.limits;
  given.settings.ignored = wanted_.ignored;
  if (!cgroup_) return given;
  Cgroup::Member member = cgroup_->add(part.rank);
  given.settings.cgroup = std::move(member.door);
  given.memory_events = std::move(member.memory_events);
  return given;
}

}  // namespace adarun::launcher::agent
