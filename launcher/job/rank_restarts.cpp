// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/rank_restarts.h"

#include <algorithm>

namespace adarun::launcher {
namespace {

std::chrono::seconds delay_after(int in_vain) {
  std::chrono::seconds delay = in_vain > 0 ? RankRestarts::first_delay : std::chrono::seconds(0);
  for (int i = 1; i < in_vain && delay < RankRestarts::longest_delay; ++i) delay *= 2;
  return std::min(delay, RankRestarts::longest_delay);
}

}  // namespace

std::optional<std::chrono::seconds> RankRestarts::plan(std::uint32_t rank, Clock::time_point now) {
  if (left_ == 0) return std::nullopt;
  --left_;
  ++ranks_[rank].restarts;
  const std::chrono::seconds delay = delay_after(ranks_[rank].in_vain++);
  due_.emplace(now + delay, rank);
  return delay;
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

}  // namespace adarun::launcher
