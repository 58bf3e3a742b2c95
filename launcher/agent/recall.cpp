// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/recall.h"

#include "launcher/agent/agent.h"
#include "launcher/agent/spool_place.h"
#include "launcher/wire/error.h"

namespace adarun::agent {

Recalling::Recalling(const wire::Recall& order)
    : path_(spool_path(order.job_id, order.node)), stream_(path_) {}

std::optional<wire::Message> Recalling::next() {
  while (!over_) {
    while (auto message = reader_.next())
      if (std::holds_alternative<wire::Output>(*message) || std::holds_alternative<wire::Exited>(*message))
        return message;
    const auto piece = stream_.found() ? stream_.next() : std::nullopt;
    if (piece) {
      reader_.feed(*piece);
      continue;
    }
    over_ = true;
    return wire::Recalled{stream_.found()};
  }
  return std::nullopt;
}

void Recalling::forget() const {
  remove_spool(path_);
}

void Agent::recall(const wire::Recall& order) {
  if (stage_ != Stage::connected || recalling_) throw wire::Error("a Recall where there is a job already");
  if (!order.scratch.empty() && can_be_met(order.scratch))
    return fail(wire::Failure::could_not_start,
                "its agent still runs; try again when the lease of the job is over");
  recalling_.emplace(order);
}

void Agent::go_on_recalling() {
  while (recalling_ && !recalling_->over() && !channel_.full(now_))
    if (const auto message = recalling_->next()) channel_.send(*message);
}

}  // namespace adarun::agent
