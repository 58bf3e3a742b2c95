// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/node_requests.h"

#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/connection/reconnection.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher::agent {

NodeRequests::NodeRequests(Environment environment, Channel& channel, const Termination& termination,
                           Fail fail)
    : channel_(channel),
      termination_(termination),
      fail_(std::move(fail)),
      query_runner_(std::move(environment)) {}

bool NodeRequests::take(const protocol::Message& message) {
  bool taken = true;
  std::visit(base::Overloaded{
                 [this](const protocol::Query& asked) { query(asked); },
                 [this](const protocol::Stage& order) { stage([&] { stage_receiver_.take(order); }); },
                 [this](const protocol::StagePart& part) { stage([&] { stage_receiver_.take(part); }); },
                 [this](const protocol::StageEnd& end) { stage([&] { stage_receiver_.take(end); }); },
                 [this](const protocol::Find& find) { fetch([&] { file_sender_.take(find); }); },
                 [this](const protocol::Fetch& order) { fetch([&] { file_sender_.take(order); }); },
                 [this](const protocol::UndeliveredRequest& order) { recall(order); },
                 [this](const protocol::DropUndelivered&) {
                   if (kept_output_) kept_output_->forget();
                 },
                 [&taken](const auto&) { taken = false; },
             },
             message);
  return taken;
}

void NodeRequests::watch(Poll& poll, Clock::time_point now) {
  if (termination_.begun()) return;
  query_runner_.watch(poll);
  measurements_.watch(poll);
  if (is_open_ && stage_receiver_.working()) poll.until(now);
  if (file_sender_.working() && !channel_.full(now)) poll.until(now);
}

void NodeRequests::tick(Clock::time_point now) {
  stage([this] { stage_receiver_.tick(); });
  send_undelivered(now);
  send_fetched(now);
}

// Once termination has begun, queries are not answered: their processes are ended with the others.
bool NodeRequests::answer(Clock::time_point now) {
  if (termination_.begun()) return false;
  query_runner_.tick(now);
  measurements_.tick(now);
  for (protocol::Answer& answer : query_runner_.collect()) channel_.send(std::move(answer));
  for (protocol::Answer& answer : measurements_.collect()) channel_.send(std::move(answer));
  return query_runner_.running() || measurements_.running();
}

void NodeRequests::query(const protocol::Query& query) {
  if (!Measurements::is_for(query.question)) return query_runner_.take(query, Clock::now());
  if (!is_open_) throw protocol::Error("a link or speed is to be measured while there is a job");
  if (!termination_.begun()) measurements_.take(query, Clock::now());
}

void NodeRequests::stage(const std::function<void()>& step) {
  if (termination_.begun() || !is_open_) return;
  try {
    step();
  } catch (const Error& error) {
    fail_(error.failure(), error.what());
  }
  for (const protocol::Message& message : stage_receiver_.collect()) channel_.send(message);
}

void NodeRequests::fetch(const std::function<void()>& order) {
  if (!is_open_) throw protocol::Error("a file is asked for while there is a job");
  if (!termination_.begun()) order();
}

void NodeRequests::recall(const protocol::UndeliveredRequest& order) {
  if (!is_open_ || kept_output_) throw protocol::Error("an UndeliveredRequest where there is a job already");
  if (!order.scratch.empty() && can_be_met(order.scratch))
    return fail_(protocol::StartFailure::could_not_start,
                 "its agent still runs; try again when the lease of the job is over");
  kept_output_.emplace(order);
}

void NodeRequests::send_undelivered(Clock::time_point now) {
  while (kept_output_ && !kept_output_->over() && !channel_.full(now))
    if (const auto message = kept_output_->next()) channel_.send(*message);
}

void NodeRequests::send_fetched(Clock::time_point now) {
  while (file_sender_.working() && !termination_.begun() && !channel_.full(now)) {
    const auto message = file_sender_.next();
    if (!message) return;
    channel_.send(*message);
  }
}

}  // namespace adarun::launcher::agent
