// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/rank_groups.h"

#include <numeric>
#include <set>

namespace adarun::trainer {

RankGroups::RankGroups(adasum::Communicator& world, const planner::ModelGraph& graph,
                       const std::vector<planner::Strategy>& strategies)
    : world_(world) {
  std::set<std::int64_t> parts;
  std::set<std::int64_t> changes;
  const std::int64_t of_images = strategies.front().parts;
  const std::int64_t of_scores = strategies.back().parts;
  changes.insert(std::lcm(of_images, of_scores));  // of labels
  for (std::size_t l = 0; l < strategies.size(); ++l) {
    parts.insert(strategies[l].parts);
    for (const std::size_t input : graph.layers[l].inputs)
      changes.insert(std::lcm(strategies[input].parts, strategies[l].parts));
  }
  // All ranks make the same communicators in the same order.
  changes.insert(parts.begin(), parts.end());
  for (const std::int64_t size : changes) {
    if (size > 1) adjacent_[size] = world.split(static_cast<int>(rank() / size));
  }
  for (const std::int64_t size : parts) {
    if (size > 1) replicas_[size] = world.split(static_cast<int>(rank() % size));
  }
}

}  // namespace adarun::trainer
