// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/costs/links.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace adarun::planner {
namespace {

/// The members of a group that are within one unit of a level; of groups that lie otherwise than units do,
/// the fewest that a member of any of them has with it.
std::int64_t within(const StridedRanks& group, const LinkLevel& level) {
  const std::int64_t piece = std::gcd(level.ranks, group.ranks * group.stride);
  return std::clamp<std::int64_t>(piece / group.stride, 1, group.ranks);
}

}  // namespace

double Traffic::bytes() const {
  double sum = 0;
  for (const OfLevel& level : levels) sum += level.bytes;
  return sum;
}

std::int64_t Traffic::messages() const {
  std::int64_t sum = 0;
  for (const OfLevel& level : levels) sum += level.messages;
  return sum;
}

double seconds(const Traffic& traffic, const LinkLevels& links, std::int64_t most_sharing) {
  double sum = 0;
  for (std::size_t l = 0; l < traffic.levels.size(); ++l) {
    const auto sharing = static_cast<double>(std::min(links[l].sharing, most_sharing));
    sum += static_cast<double>(traffic.levels[l].messages) * links[l].message_s +
           traffic.levels[l].bytes * links[l].byte_s * sharing;
  }
  return sum;
}

std::size_t level_between(std::int64_t rank, std::int64_t other, const LinkLevels& links) {
  std::size_t l = 0;
  while (l + 1 < links.size() && rank / links[l].ranks != other / links[l].ranks) ++l;
  return l;
}

Traffic direct_allreduce(const StridedRanks& group, double bytes, const LinkLevels& links) {
  Traffic traffic{std::vector<Traffic::OfLevel>(links.size())};
  const double part = bytes / static_cast<double>(group.ranks);
  std::int64_t nearer = 1;  // members within the level before, with the rank itself
  for (std::size_t l = 0; l < links.size(); ++l) {
    const std::int64_t members = within(group, links[l]);
    const std::int64_t messages = 2 * (members - nearer);
    traffic.levels[l] = {messages, static_cast<double>(messages) * part};
    nearer = members;
  }
  return traffic;
}

Traffic halving_allreduce(const StridedRanks& group, double bytes, const LinkLevels& links) {
  Traffic traffic{std::vector<Traffic::OfLevel>(links.size())};
  std::int64_t nearer = 1;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const std::int64_t members = within(group, links[l]);
    const std::int64_t units = (members + nearer - 1) / nearer;
    const double left = bytes / static_cast<double>(nearer);
    const auto halvings = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(units - 1)));
    traffic.levels[l] = {2 * halvings,
                         2 * left * static_cast<double>(units - 1) / static_cast<double>(units)};
    nearer = members;
  }
  return traffic;
}

Traffic ring_allreduce(const StridedRanks& group, double bytes, const LinkLevels& links) {
  Traffic traffic{std::vector<Traffic::OfLevel>(links.size())};
  if (group.ranks == 1) return traffic;
  std::size_t farthest = 0;
  while (farthest + 1 < links.size() && within(group, links[farthest]) < group.ranks) ++farthest;
  const std::int64_t messages = 2 * (group.ranks - 1);
  traffic.levels[farthest] = {messages,
                              static_cast<double>(messages) * bytes / static_cast<double>(group.ranks)};
  return traffic;
}

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
