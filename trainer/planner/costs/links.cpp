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

double seconds(const Traffic& traffic, const LinkLevels& links) {
  double sum = 0;
  for (std::size_t l = 0; l < traffic.levels.size(); ++l) {
    const Traffic::OfLevel& sent = traffic.levels[l];
    sum += static_cast<double>(sent.messages) * links[l].message_s +
           sent.bytes * links[l].byte_s * static_cast<double>(links[l].sharing);
  }
  return sum;
}

Neighbours::Neighbours(std::int64_t rank, const LinkLevels& links) {
  for (const LinkLevel& level : links) {
    const std::int64_t first = rank / level.ranks * level.ranks;
    units_.push_back({first, first + level.ranks});
  }
}

std::size_t Neighbours::level_to(std::int64_t other) const {
  std::size_t l = 0;
  while (l + 1 < units_.size() && (other < units_[l].begin || other >= units_[l].end)) ++l;
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

double ring_seconds(const Traffic& traffic, const StridedRanks& group, const LinkLevels& links) {
  double sum = 0;
  for (std::size_t l = 0; l < traffic.levels.size(); ++l) {
    const auto sharing = static_cast<double>(std::min(links[l].sharing, group.stride));
    sum += static_cast<double>(traffic.levels[l].messages) * links[l].message_s +
           traffic.levels[l].bytes * links[l].byte_s * sharing;
  }
  return sum;
}

}  // namespace adarun::planner
