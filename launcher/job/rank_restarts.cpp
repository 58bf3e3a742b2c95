// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/rank_restarts.h"

#include <algorithm>
#include <utility>

#include "base/describe.h"
#include "launcher/job/job_context.h"
#include "launcher/job/job_control.h"

namespace adarun::launcher {

std::chrono::milliseconds restart_delay(int number, std::chrono::milliseconds first) {
  constexpr std::chrono::milliseconds second_delay{1'000};
  std::chrono::milliseconds delay = first;
  for (int before = 1; before < number && delay < longest_restart_delay; ++before)
    delay = delay.count() == 0 ? second_delay : delay * 2;
  return std::min<std::chrono::milliseconds>(delay, longest_restart_delay);
}

RankRestarts::RankRestarts(const std::vector<std::uint32_t>& role_of_rank, std::vector<std::size_t> most)
    : left_(std::move(most)), ranks_(role_of_rank.size()) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) ranks_[rank].role = role_of_rank[rank];
}

std::optional<std::chrono::milliseconds> RankRestarts::plan(std::uint32_t rank, Clock::time_point now) {
  Rank& its = ranks_[rank];
  std::size_t& left = left_[its.role];
  its.is_awaited = left > 0;
  if (left == 0) return std::nullopt;
  --left;
  ++its.restarts;
  if (const auto since = std::exchange(its.back_since, std::nullopt); since && now - *since >= long_enough)
    its.in_vain = 0;
  const std::chrono::milliseconds delay = restart_delay(++its.in_vain, {});
  due_.emplace(now + delay, rank);
  return delay;
}

std::uint32_t RankRestarts::move(std::uint32_t rank) {
  std::erase_if(due_, [rank](const auto& due) { return due.second == rank; });
  return ++ranks_[rank].restarts;
}

std::vector<protocol::StartAgain> RankRestarts::take_due(Clock::time_point now) {
  std::vector<protocol::StartAgain> orders;
  for (; !due_.empty() && due_.begin()->first <= now; due_.erase(due_.begin())) {
    const std::uint32_t rank = due_.begin()->second;
    orders.push_back({rank, ranks_[rank].restarts});
  }
  return orders;
}

std::optional<RankRestarts::Clock::time_point> RankRestarts::deadline() const {
  return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

std::string RestartOrders::plan(std::uint32_t rank, Clock::time_point now) {
  if (!may_start(rank)) return "";
  const auto delay = context_.restarts.plan(rank, now);
  if (!delay) return "";
  give(now);
  return "; it is started again" + (delay->count() > 0 ? " in " + base::describe(*delay) : "") +
         " (restarts left: " + std::to_string(context_.restarts.left(rank)) + ")";
}

void RestartOrders::give(Clock::time_point now) {
  if (suspension_.is_on()) return;
  for (const protocol::StartAgain& order : context_.restarts.take_due(now)) {
    if (!may_start(order.rank)) continue;
    context_.ranks.start_again(order.rank);
    context_.hang_watch.start(order.rank, now);
    context_.nodes.send(context_.plan.node_of_rank[order.rank], order);
  }
}

std::optional<RestartOrders::Clock::time_point> RestartOrders::deadline() const {
  return suspension_.is_on() ? std::nullopt : context_.restarts.deadline();
}

bool RestartOrders::may_start(std::uint32_t rank) const {
  const std::uint32_t node = context_.plan.node_of_rank[rank];
  return context_.nodes.state(node) == NodeState::greeted && !context_.node_status.has_failed(node) &&
         context_.ranks.has_ended(rank);
}

}  // namespace adarun::launcher
