// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "launcher/job/failure.h"
#include "launcher/job/job_parts.h"
#include "launcher/job/restart_orders.h"
#include "launcher/job/role_policies.h"

namespace adarun::launcher {

/// Has a job of roles go on after the end of a rank or a node, where the policies of its roles say so, and
/// tells the user. What happens in MPI ends the job in any role: the others wait there for all ranks. Call
/// while the job runs. Passive. Borrows the constructor's arguments.
class RoleConsequences {
 public:
  using Clock = std::chrono::steady_clock;

  RoleConsequences(const JobParts& parts, RolePolicies& roles, RestartOrders& orders)
      : parts_(parts), roles_(roles), orders_(orders) {}

  /// Returns whether the job goes on, which runs.
  bool go_on_after(const Failure& failure, Clock::time_point now);

  /// Whether it would go on after the end of this rank, of which it hears while it ends for another reason.
  bool would_go_on_without(std::uint32_t rank) const;

 private:
  bool is_waited_for_in_mpi(std::uint32_t rank) const;
  bool go_on_without_rank(std::uint32_t rank, Clock::time_point now);
  bool go_on_without_node(std::uint32_t node, const std::string& cause);

  const JobParts& parts_;
  RolePolicies& roles_;
  RestartOrders& orders_;
};

}  // namespace adarun::launcher
