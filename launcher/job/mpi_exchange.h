// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

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

  /// Limit of what is kept: more is put only by programs that put the same again and again.
  static constexpr std::size_t most_kept_bytes = protocol::most_fence_bytes;

  /// Whether what ranks publish by PMI is kept for nodes that join later.
  enum class Published { kept, forgotten };

  MpiExchange(const Plan& plan, JobObserver& observer, Published published)
      : plan_(plan), observer_(observer), fences_(plan.node_of_rank) {
    if (published == Published::kept) published_.emplace();
  }

  /// What ranks have published by PMI, as in FenceDone; null: it is not kept, or was too much.
  const std::string* published() const { return published_ ? &*published_ : nullptr; }

  /// Routes a message of `node` through `nodes`. Throws protocol::Error if this node may not send it.
  void enter(std::uint32_t node, const protocol::Fence& fence, Nodes& nodes);
  void request(std::uint32_t node, const protocol::ModexRequest& request, Nodes& nodes);
  void reply(std::uint32_t node, const protocol::ModexReply& reply, Nodes& nodes);

 private:
  void keep(const protocol::FenceDone& done);

  const Plan& plan_;
  JobObserver& observer_;
  Fences fences_;
  std::optional<std::string> published_;
  /// By requesting node and id: the node that must reply.
  std::map<std::uint32_t, std::map<std::uint64_t, std::uint32_t>> open_requests_;
};

}  // namespace adarun::launcher
