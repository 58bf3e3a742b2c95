// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/costs/measured_links.h"

#include <algorithm>
#include <numeric>

#include "trainer/planner/base/error.h"

namespace adarun::planner {
namespace {

std::int64_t common_size(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0},
                         [](std::int64_t a, std::int64_t b) { return std::gcd(a, b); });
}

const MeasuredLinks::OfLevel* level_named(const MeasuredLinks& measured, const std::string& name) {
  const auto at = std::ranges::find(measured.levels, name, &MeasuredLinks::OfLevel::name);
  return at == measured.levels.end() ? nullptr : &*at;
}

/// The level `name` for units of so many ranks.
LinkLevel level_of(const MeasuredLinks& measured, const std::string& name, std::int64_t ranks,
                   const std::vector<std::int64_t>& nodes) {
  const std::int64_t largest = std::ranges::max(nodes);
  const MeasuredLinks::OfLevel* level = level_named(measured, name);
  if (level == nullptr) {
    throw Error("costs have no level \"" + name + "\", which " + std::to_string(ranks) +
                " ranks of nodes of " + std::to_string(largest) + " need");
  }
  return {name, ranks, level->message_s, level->byte_s, level->shared ? largest : 1};
}

}  // namespace

MeasuredLinks typical_links() {
  return {{{"node", 5e-6, 1e-10, false}, {"cluster", 30e-6, 8e-10, true}}, {}};
}

LinkLevels links_of(const MeasuredLinks& measured, const RankSpread& spread) {
  const std::int64_t all = std::accumulate(spread.nodes.begin(), spread.nodes.end(), std::int64_t{0});
  const std::int64_t node = common_size(spread.nodes);
  const std::int64_t pod = spread.pods.empty() ? 0 : common_size(spread.pods);
  LinkLevels links;
  if (node > 1) links.push_back(level_of(measured, "node", node, spread.nodes));
  if (pod > node && pod < all && level_named(measured, "pod") != nullptr)
    links.push_back(level_of(measured, "pod", pod, spread.nodes));
  if (node < all) links.push_back(level_of(measured, "cluster", all, spread.nodes));
  if (links.empty()) links.push_back({"node", 1, 0, 0, 1});  // one rank, which sends nothing
  return links;
}

}  // namespace adarun::planner
