// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/wire/messages.h"

namespace adarun::launcher {

/// Gathers the nodes' parts of PMIx fences and PMI barriers. Fences of one service over the same ranks follow
/// one another in the order in which each node enters them.
class Fences {
 public:
  /// `node_of_rank[r]` is the node of rank r.
  explicit Fences(const std::vector<std::uint32_t>& node_of_rank);

  /// A fence that every node has entered: what they put in, and whom to tell.
  struct Complete {
    wire::FenceDone message;
    std::vector<std::uint32_t> nodes;
  };

  /// Takes a node's part; the fence that it completes, if it does.
  std::optional<Complete> enter(std::uint32_t node, const wire::Fence& fence);

 private:
  /// A service, and the ranks.
  using Key = std::pair<wire::Service, std::vector<std::uint32_t>>;

  /// Fences of the same key: what each node has put into those that are not complete.
  struct Waiting {
    std::vector<std::uint32_t> nodes;
    std::map<std::uint32_t, std::deque<std::string>> parts;  ///< Of nodes that have entered one.
  };

  std::vector<std::uint32_t> nodes_of(const std::vector<std::uint32_t>& ranks) const;

  std::vector<std::uint32_t> node_of_rank_;
  std::map<Key, Waiting> waiting_;
};

}  // namespace adarun::launcher
