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

/// What this node gives each of its ranks besides its program: a control group, CPUs, limits, and variables
/// that only the node can know.
class RankResources {
 public:
  /// Looks at the machine, and makes the job's control group where it can. `environment`: the agent's own.
  RankResources(const protocol::Start& start, const Environment& environment);

  /// Adds variables that nobody has set: threads for the CPUs a rank is bound to, and the interface to the
  /// other nodes.
  void add_defaults(const protocol::RankSpec& part, Environment& environment) const;

  /// A rank's bounds, and where the kernel counts what it kills in it for want of memory (empty: nowhere).
  struct Given {
    Bounds bounds;
    std::string memory_events;
  };
  Given give(const protocol::RankSpec& part) const;

  /// "0-3": the CPUs that a rank is bound to; empty: any.
  std::string cpus_of(const protocol::RankSpec& part) const {
    return describe_cpus(binding_.of(part.local_rank));
  }

  /// What each has for its stdout.
  protocol::Stdout out() const { return wanted_.out; }

  /// What the user should know, one line, or empty.
  std::string warning() const { return binding_.warning(); }

  /// The folder of the job's control group; empty where there is none.
  std::string group() const { return cgroup_ ? cgroup_->path() : ""; }

  /// SIGKILL to everything in the job's control group, where there is one.
  void kill() const {
    if (cgroup_) cgroup_->kill();
  }

 private:
  protocol::ProcessLimits wanted_;
  Binding binding_;
  std::vector<std::string> interface_variables_;
  std::optional<Cgroup> cgroup_;
};

}  // namespace adarun::launcher::agent
