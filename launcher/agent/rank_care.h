// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/agent/binding.h"
#include "launcher/agent/cgroup.h"
#include "launcher/agent/environment.h"
#include "launcher/agent/spawn.h"
#include "launcher/wire/messages.h"

namespace adarun::agent {

/// What this node gives each of its ranks besides its program: a control group, CPUs, limits, and variables
/// that only the node can know.
class RankCare {
 public:
  /// Looks at the machine, and makes the job's control group where it can. `environment`: the agent's own.
  RankCare(const wire::Start& start, const Environment& environment);

  /// Adds variables that nobody has set: threads for the CPUs a rank is bound to, and the interface to the
  /// other nodes.
  void add_defaults(const wire::RankPart& part, Environment& environment) const;

  /// A rank's bounds, and where the kernel counts what it kills in it for want of memory (empty: nowhere).
  struct Given {
    Bounds bounds;
    std::string memory_events;
  };
  Given give(const wire::RankPart& part) const;

  /// "0-3": the CPUs that a rank is bound to; empty: any.
  std::string cpus_of(const wire::RankPart& part) const {
    return describe_cpus(binding_.of(part.local_rank));
  }

  /// What each has for its stdout.
  wire::Stdout out() const { return wanted_.out; }

  /// What the user should know, one line, or empty.
  std::string warning() const { return binding_.warning(); }

  /// The folder of the job's control group; empty where there is none.
  std::string group() const { return cgroup_ ? cgroup_->path() : ""; }

  /// SIGKILL to everything in the job's control group, where there is one.
  void kill() const {
    if (cgroup_) cgroup_->kill();
  }

 private:
  wire::ProcessCare wanted_;
  Binding binding_;
  std::vector<std::string> interface_variables_;
  std::optional<Cgroup> cgroup_;
};

}  // namespace adarun::agent
