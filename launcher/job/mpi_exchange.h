// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "launcher/job/fences.h"
#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"

namespace adarun::launcher {

/// What the nodes' MPI servers have to tell one another: fences are gathered, and a request for what one
/// rank published goes to that rank's node, whose reply goes back. Passive. Borrows plan and observer.
class MpiExchange {
 public:
  /// Requests of one node that may be without a reply: a few of each of its ranks for all others.
  static constexpr std::size_t most_open_requests = 1U << 16U;

  MpiExchange(const Plan& plan, JobObserver& observer)
      : plan_(plan), observer_(observer), fences_(plan.node_of_rank) {}

  /// Passes on what `node` sent, through `nodes`; any other message is left alone. Throws protocol::Error
  /// where that is not for this node to send.
  void route(std::uint32_t node, const protocol::Message& message, Nodes& nodes);

 private:
  void request(std::uint32_t node, const protocol::ModexRequest& request, Nodes& nodes);
  void reply(std::uint32_t node, const protocol::ModexReply& reply, Nodes& nodes);

  const Plan& plan_;
  JobObserver& observer_;
  Fences fences_;
  std::map<std::uint32_t, std::map<std::uint64_t, std::uint32_t>>
      open_requests_;  ///< By asking node and id: the node that is asked.
};

}  // namespace adarun::launcher
