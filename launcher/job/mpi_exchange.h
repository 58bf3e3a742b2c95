// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"
#include "launcher/protocol/nodes.h"

namespace adarun::launcher {

/// Routes messages between the nodes' MPI servers: collects their contributions to PMIx fences and PMI
/// barriers, forwards a request for the data that a rank published to that rank's node, and returns the
/// reply. Fences of one service over the same ranks are matched in the order in which each node enters them.
/// Passive. Borrows plan and observer.
class MpiExchange {
 public:
  /// Limits per node: the number of fences that it has entered and others have not, and the bytes of its
  /// contributions and their rank lists.
  static constexpr std::size_t most_waiting = 1024;
  static constexpr std::size_t most_waiting_bytes = 2 * protocol::most_fence_bytes;

  /// Limit of unanswered requests per node: room for a few of each of its ranks to all others.
  static constexpr std::size_t most_open_requests = 1U << 16U;

  /// Limit of what is kept: more is put only by programs that put the same again and again.
  static constexpr std::size_t most_kept_bytes = protocol::most_fence_bytes;

  /// Whether what ranks publish by PMI is kept for nodes that join later.
  enum class Published { kept, forgotten };

  MpiExchange(const Plan& plan, JobObserver& observer, Published published)
      : plan_(plan), observer_(observer) {
    if (published == Published::kept) published_.emplace();
  }

  /// What ranks have published by PMI, as in FenceDone; null: it is not kept, or was too much.
  const std::string* published() const { return published_ ? &*published_ : nullptr; }

  /// Handles a message of `node`; answers go through `nodes`. Throws protocol::Error if this node may not
  /// send it, or exceeds the limits above.
  void enter(std::uint32_t node, const protocol::Fence& fence, Nodes& nodes);
  void request(std::uint32_t node, const protocol::ModexRequest& request, Nodes& nodes);
  void reply(std::uint32_t node, const protocol::ModexReply& reply, Nodes& nodes);

 private:
  /// The incomplete fences of one service over the same ranks: what each node has contributed to them.
  struct Fences {
    std::vector<std::uint32_t> nodes;
    std::map<std::uint32_t, std::deque<std::string>> parts;  ///< By node that has entered one.
  };

  /// Incomplete fences that a node has entered.
  struct Load {
    std::size_t fences = 0;
    std::size_t bytes = 0;
  };

  std::vector<std::uint32_t> nodes_of(const std::vector<std::uint32_t>& ranks) const;
  void load(std::uint32_t node, std::size_t bytes);
  protocol::FenceDone take_first(const protocol::Fence& fence, Fences& fences);
  void keep(const protocol::FenceDone& done);

  const Plan& plan_;
  JobObserver& observer_;
  std::map<std::pair<protocol::Service, std::vector<std::uint32_t>>, Fences> fences_;
  std::map<std::uint32_t, Load> loads_;  ///< By node.
  std::optional<std::string> published_;
  /// By requesting node and id: the node that must reply.
  std::map<std::uint32_t, std::map<std::uint64_t, std::uint32_t>> open_requests_;
};

}  // namespace adarun::launcher
