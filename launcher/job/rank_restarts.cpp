// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/rank_restarts.h"

#include <algorithm>
#include <utility>

#include "base/describe.h"
#include "launcher/job/job_context.h"
#include "launcher/job/suspension.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::minutes longest_delay{1};

// Not soon: a rank that has been back for so long has not come in vain.
constexpr std::chrono::seconds long_enough{2};

}  // namespace

std::chrono::milliseconds restart_delay(int number, std::chrono::milliseconds first) {
  constexpr std::chrono::milliseconds second_delay{1'000};
  std::chrono::milliseconds delay = first;
  for (int before = 1; before < number && delay < longest_delay; ++before)
    delay = delay.count() == 0 ? second_delay : delay * 2;
  return std::min<std::chrono::milliseconds>(delay, longest_delay);
}

RankRestarts::RankRestarts(const JobContext& context, const Suspension& suspension)
    : context_(context), suspension_(suspension), ranks_(context.plan.world_size()) {
  const JobOptions& options = context.plan.options;
  if (options.min_ranks || options.roles.empty()) {
    left_.push_back(static_cast<std::size_t>(options.rank_restarts));
    return;
  }
  for (const Role& role : options.roles) left_.push_back(role.policy.restarts);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    ranks_[rank].role = context.plan.job_spec.application_of_rank[rank];
}

std::string RankRestarts::plan(std::uint32_t rank, Clock::time_point now) {
  if (!may_start(rank)) return "";
  Rank& its = ranks_[rank];
  std::size_t& left = left_[its.role];
  its.is_awaited = left > 0;
  if (left == 0) return "";
  --left;
  ++its.restarts;
  if (const auto since = std::exchange(its.back_since, std::nullopt); since && now - *since >= long_enough)
    its.in_vain = 0;
  const std::chrono::milliseconds delay = restart_delay(++its.in_vain, {});
  due_.emplace(now + delay, rank);
  give(now);
  return "; it is started again" + (delay.count() > 0 ? " in " + base::describe(delay) : "") +
         " (restarts left: " + std::to_string(left) + ")";
}

std::uint32_t RankRestarts::move(std::uint32_t rank) {
  std::erase_if(due_, [rank](const auto& due) { return due.second == rank; });
  return ++ranks_[rank].restarts;
}

void RankRestarts::give(Clock::time_point now) {
  for (; deadline() && *deadline() <= now; due_.erase(due_.begin())) {
    const std::uint32_t rank = due_.begin()->second;
    if (!may_start(rank)) continue;
    context_.ranks.start_again(rank);
    context_.hang_watch.start(rank, now);
    context_.nodes.send(context_.plan.node_of_rank[rank], protocol::StartAgain{rank, ranks_[rank].restarts});
  }
}

std::optional<RankRestarts::Clock::time_point> RankRestarts::deadline() const {
  return due_.empty() || suspension_.is_on() ? std::nullopt : std::optional(due_.begin()->first);
}

bool RankRestarts::may_start(std::uint32_t rank) const {
  const std::uint32_t node = context_.plan.node_of_rank[rank];
  return context_.nodes.state(node) == NodeState::greeted && !context_.node_status.has_failed(node) &&
         context_.ranks.has_ended(rank);
}

}  // namespace adarun::launcher
