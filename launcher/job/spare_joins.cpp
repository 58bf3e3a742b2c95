// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/spare_joins.h"

#include <algorithm>

namespace adarun::launcher {

void SpareJoins::lose(std::uint32_t node, Clock::time_point end) {
  awaited_.erase(node);
  if (are_possible()) gone_.insert_or_assign(node, end);
}

std::vector<std::uint32_t> SpareJoins::gone(Clock::time_point now) const {
  std::vector<std::uint32_t> nodes;
  for (const auto& [node, end] : gone_)
    if (end <= now) nodes.push_back(node);
  return nodes;
}

bool SpareJoins::is_gone(std::uint32_t node, Clock::time_point now) const {
  const auto found = gone_.find(node);
  return found != gone_.end() && found->second <= now;
}

std::string SpareJoins::replace(std::uint32_t node) {
  gone_.erase(node);
  std::string why_not = take_place_(node);
  if (why_not.empty()) awaited_.insert(node);
  return why_not;
}

std::vector<std::uint32_t> SpareJoins::take_awaited() {
  const std::set<std::uint32_t> nodes = std::exchange(awaited_, {});
  return {nodes.begin(), nodes.end()};
}

std::optional<SpareJoins::Clock::time_point> SpareJoins::deadline() const {
  std::optional<Clock::time_point> next;
  for (const auto& [node, end] : gone_) next = std::min(next.value_or(end), end);
  return next;
}

}  // namespace adarun::launcher
