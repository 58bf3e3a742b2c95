// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/fences.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace adarun::launcher {

Fences::Fences(const std::vector<std::uint32_t>& node_of_rank) : node_of_rank_(node_of_rank) {}

std::optional<Fences::Complete> Fences::enter(std::uint32_t node, const wire::Fence& fence) {
  Key key{fence.service, fence.participants};
  std::sort(key.second.begin(), key.second.end());
  Waiting& waiting = waiting_[key];
  if (waiting.nodes.empty()) waiting.nodes = nodes_of(key.second);
  if (!std::binary_search(waiting.nodes.begin(), waiting.nodes.end(), node)) return std::nullopt;
  waiting.parts[node].push_back(fence.data);
  if (waiting.parts.size() < waiting.nodes.size()) return std::nullopt;
  Complete complete{{fence.participants, "", fence.service}, waiting.nodes};
  for (auto part = waiting.parts.begin(); part != waiting.parts.end();) {
    complete.message.data += part->second.front();
    part->second.pop_front();
    part = part->second.empty() ? waiting.parts.erase(part) : std::next(part);
  }
  if (waiting.parts.empty()) waiting_.erase(key);
  return complete;
}

std::vector<std::uint32_t> Fences::nodes_of(const std::vector<std::uint32_t>& ranks) const {
  std::set<std::uint32_t> nodes;
  if (ranks.empty()) nodes.insert(node_of_rank_.begin(), node_of_rank_.end());
  for (const std::uint32_t rank : ranks)
    if (rank < node_of_rank_.size()) nodes.insert(node_of_rank_[rank]);
  return {nodes.begin(), nodes.end()};
}

}  // namespace adarun::launcher
