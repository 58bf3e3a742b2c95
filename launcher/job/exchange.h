// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/job/fences.h"
#include "launcher/job/nodes.h"
#include "launcher/job/observer.h"
#include "launcher/plan.h"

namespace adarun::launcher {

/// What the nodes' MPI servers have to tell one another: fences are gathered, and a request for what one
/// rank published goes to that rank's node. Passive. Borrows plan and observer.
class Exchange {
 public:
  Exchange(const Plan& plan, JobObserver& observer)
      : plan_(plan), observer_(observer), fences_(plan.node_of_rank) {}

  /// Passes on what `node` sent, through `nodes`; any other message is left alone.
  void route(std::uint32_t node, const wire::Message& message, Nodes& nodes);

 private:
  const Plan& plan_;
  JobObserver& observer_;
  Fences fences_;
};

}  // namespace adarun::launcher
