// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/restart_orders.h"

#include "base/describe.h"

namespace adarun::launcher {

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

bool RestartOrders::may_start(std::uint32_t rank) const {
  const std::uint32_t node = context_.plan.node_of_rank[rank];
  return context_.nodes.state(node) == NodeState::greeted && !context_.node_status.has_failed(node) &&
         context_.ranks.has_ended(rank);
}

}  // namespace adarun::launcher
