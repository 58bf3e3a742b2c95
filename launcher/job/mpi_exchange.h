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

/// Collects the nodes' contributions to PMIx fences and PMI barriers. Fences of one service over the same
/// ranks are matched in the order in which each node enters them. The incomplete fences of one node are
/// bounded.
class Fences {
 public:
  /// Limits per node: the number of fences that it has entered and others have not, and the bytes of its
  /// contributions and their rank lists.
  static constexpr std::size_t most_waiting = 1024;
  static constexpr std::size_t most_waiting_bytes = 2 * protocol::most_fence_bytes;

  /// `node_of_rank[r]` is the node of rank r.
  explicit Fences(const std::vector<std::uint32_t>& node_of_rank);

  /// A fence that every node has entered: the collected data, and the nodes to send it to.
  struct Complete {
    protocol::FenceDone message;
    std::vector<std::uint32_t> nodes;
  };

  /// Adds a node's contribution; returns the fence if this completes it. Throws protocol::Error if the node
  /// does not take part in that fence, or exceeds the limits above.
  std::optional<Complete> enter(std::uint32_t node, const protocol::Fence& fence);

 private:
  /// A service, and the ranks.
  using Key = std::pair<protocol::Service, std::vector<std::uint32_t>>;

  /// The incomplete fences of one key: what each node has contributed to them.
  struct Waiting {
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
  Complete take_first(const protocol::Fence& fence, Waiting& waiting);

  std::vector<std::uint32_t> node_of_rank_;
  std::map<Key, Waiting> waiting_;
  std::map<std::uint32_t, Load> loads_;  ///< By node.
};

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
