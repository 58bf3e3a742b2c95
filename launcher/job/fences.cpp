// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/fences.h"

#include <algorithm>
#include <set>

namespace adarun::launcher {

Fences::Fences(const std::vector<std::uint32_t>& node_of_rank) : node_of_rank_(node_of_rank) {}

std::optional<Fences::Complete> Fences::enter(std::uint32_t node, const wire::Fence& fence) {
  std::vector<std::uint32_t> key = fence.participants;
  std::sort(key.begin(), key.end());
  Waiting& waiting = waiting_[key];
  waiting[node].push_back(fence.data);
  const std::vector<std::uint32_t> nodes = nodes_of(key);
  const bool all = std::all_of(nodes.begin(), nodes.end(), [&](std::uint32_t each) {
    const auto found = waiting.find(each);
    return found != waiting.end() && !found->second.empty();
  });
  if (!all) return std::nullopt;
  Complete complete{{fence.participants, ""}, nodes};
  for (const std::uint32_t each : nodes) {
    complete.message.data += waiting[each].front();
    waiting[each].pop_front();
  }
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
