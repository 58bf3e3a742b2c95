// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/agent/ranks/binding.h"
#include "launcher/agent/ranks/cgroup.h"
#include "launcher/agent/ranks/environment.h"
#include "launcher/agent/ranks/spawn.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// What each rank of this node gets besides its program: a control group, CPUs, limits, and variables that
/// only the node can determine.
class RankResources {
 public:
  /// Reads the machine's CPUs and interfaces, and creates the job's control group if possible. `environment`:
  /// the agent's own.
  RankResources(const protocol::Start& start, const Environment& environment);

  /// Adds variables that are not set yet: OMP_NUM_THREADS for the CPUs a rank is bound to, and the interface
  /// to the other nodes. Sets ADARUN_CPUS for a rank that is bound.
  void add_defaults(const protocol::RankSpec& part, Environment& environment) const;

  /// A rank's settings, and the file in which the kernel counts its kills there for lack of memory (empty:
  /// none).
  struct AssignedResources {
    ProcessSettings settings;
    std::string memory_events;
  };
  AssignedResources give(const protocol::RankSpec& part) const;

  /// "0-3": the CPUs that a rank is bound to; empty: any.
  std::string cpus_of(const protocol::RankSpec& part) const {
    return describe_cpus(binding_.of(part.local_rank));
  }

  /// The kind of stdout of each rank.
  protocol::Stdout out() const { return wanted_.out; }

  /// A one-line warning for the user, or empty.
  std::string warning() const { return binding_.warning(); }

  /// The folder of the job's control group; empty if there is none.
  std::string group() const { return cgroup_ ? cgroup_->path() : ""; }

  /// Sends SIGKILL to everything in the job's control group, if there is one.
  void kill() const {
    if (cgroup_) cgroup_->kill();
  }

  /// The same for a rank's group in it.
  void kill(std::uint32_t rank) const {
    if (cgroup_) cgroup_->kill(rank);
  }

 private:
  protocol::ProcessLimits wanted_;
  Binding binding_;
  std::vector<std::string> interface_variables_;
  std::optional<Cgroup> cgroup_;
};

}  // namespace adarun::launcher::agent
