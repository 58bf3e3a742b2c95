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

#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// Gathers the nodes' parts of PMIx fences and PMI barriers. Fences of one service over the same ranks follow
/// one another in the order in which each node enters them. What one node may leave waiting is bounded.
class Fences {
 public:
  /// Of one node: fences that it has entered and others have not, and the bytes of its parts and their lists
  /// of ranks.
  static constexpr std::size_t most_waiting = 1024;
  static constexpr std::size_t most_waiting_bytes = 2 * protocol::most_fence_bytes;

  /// `node_of_rank[r]` is the node of rank r.
  explicit Fences(const std::vector<std::uint32_t>& node_of_rank);

  /// A fence that every node has entered: what they put in, and whom to tell.
  struct Complete {
    protocol::FenceDone message;
    std::vector<std::uint32_t> nodes;
  };

  /// Takes a node's part; the fence that it completes, if it does. Throws protocol::Error where that is none
  /// for the node to enter, or one too many.
  std::optional<Complete> enter(std::uint32_t node, const protocol::Fence& fence);

 private:
  /// A service, and the ranks.
  using Key = std::pair<protocol::Service, std::vector<std::uint32_t>>;

  /// Fences of the same key: what each node has put into those that are not complete.
  struct Waiting {
    std::vector<std::uint32_t> nodes;
    std::map<std::uint32_t, std::deque<std::string>> parts;  ///< Of nodes that have entered one.
  };

  /// What a node has entered and others have not.
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

}  // namespace adarun::launcher
