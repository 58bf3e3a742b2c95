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

/// Routes messages between the nodes' MPI servers: collects fences, forwards a request for the data that a
/// rank published to that rank's node, and returns the reply. Passive. Borrows plan and observer.
class MpiExchange {
 public:
  /// Limit of unanswered requests per node: room for a few of each of its ranks to all others.
  static constexpr std::size_t most_open_requests = 1U << 16U;

  MpiExchange(const Plan& plan, JobObserver& observer)
      : plan_(plan), observer_(observer), fences_(plan.node_of_rank) {}

  /// Routes a message of `node` through `nodes`; ignores messages of other types. Throws protocol::Error if
  /// this node may not send it.
  void route(std::uint32_t node, const protocol::Message& message, Nodes& nodes);

 private:
  void request(std::uint32_t node, const protocol::ModexRequest& request, Nodes& nodes);
  void reply(std::uint32_t node, const protocol::ModexReply& reply, Nodes& nodes);

  const Plan& plan_;
  JobObserver& observer_;
  Fences fences_;
  /// By requesting node and id: the node that must reply.
  std::map<std::uint32_t, std::map<std::uint64_t, std::uint32_t>> open_requests_;
};

}  // namespace adarun::launcher
