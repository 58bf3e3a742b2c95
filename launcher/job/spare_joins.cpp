// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/spare_joins.h"

#include <algorithm>

namespace adarun::launcher {

void SpareJoins::lose(std::uint32_t node, Clock::time_point end) {
  const bool ran_nothing = awaited_.erase(node) + staging_.erase(node) > 0;
  if (are_possible()) gone_.insert_or_assign(node, ran_nothing ? Clock::time_point::min() : end);
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
  if (!why_not.empty()) return why_not;
  nodes_.drop_queued(node);  // It was for the node that was there.
  awaited_.insert(node);
  return "";
}

bool SpareJoins::greet(std::uint32_t node) {
  if (awaited_.erase(node) == 0) return false;
  staging_.try_emplace(node, plan_.stage, plan_.options.workdir, nodes_, node).first->second.begin();
  return true;
}

bool SpareJoins::take(std::uint32_t node, const protocol::Message& message) {
  const auto found = staging_.find(node);
  return found != staging_.end() && found->second.take(node, message);
}

std::vector<std::uint32_t> SpareJoins::reading() const {
  std::vector<std::uint32_t> nodes;
  for (const auto& [node, staging] : staging_)
    if (staging.reading()) nodes.push_back(node);
  return nodes;
}

std::vector<std::uint32_t> SpareJoins::ready() const {
  std::vector<std::uint32_t> nodes;
  for (const auto& [node, staging] : staging_)
    if (staging.ended()) nodes.push_back(node);
  return nodes;
}

bool SpareJoins::take_ready(std::uint32_t node) {
  const auto found = staging_.find(node);
  if (found == staging_.end() || !found->second.ended()) return false;
  staging_.erase(found);
  return true;
}

std::vector<std::uint32_t> SpareJoins::stop() {
  gone_.clear();
  staging_.clear();
  const std::set<std::uint32_t> nodes = std::exchange(awaited_, {});
  return {nodes.begin(), nodes.end()};
}

std::optional<SpareJoins::Clock::time_point> SpareJoins::deadline(Clock::time_point now) const {
  if (!reading().empty()) return now;
  std::optional<Clock::time_point> next;
  for (const auto& [node, end] : gone_) next = std::min(next.value_or(end), end);
  return next;
}

}  // namespace adarun::launcher
