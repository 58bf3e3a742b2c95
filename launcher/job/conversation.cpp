// SPDX-License-Identifier: Apache-2.0
// What the job makes of each thing that comes from its nodes.
#include "base/clean_text.h"
#include "launcher/job/job.h"
#include "launcher/protocol/agent_version.h"
#include "launcher/protocol/error.h"

namespace adarun::launcher {

void Job::on_event(const TransportEvent& event, Clock::time_point now) {
  now_ = now;
  if (phase_ == Phase::ended || nodes_.state(event.node) == NodeState::lost) return;
  if (const auto* lost = std::get_if<LinkLost>(&event.what)) {
    on_lost(event.node, lost->reason);
  } else if (const auto* step = std::get_if<LinkStep>(&event.what)) {
    observer_.on_step(event.node, *step);
  } else if (const auto* reading = std::get_if<ClockReading>(&event.what)) {
    clocks_[event.node].read(*reading);
  } else if (const auto* cut = std::get_if<LinkCut>(&event.what)) {
    on_cut(event.node, cut->reason);
  } else if (std::holds_alternative<LinkResumed>(event.what)) {
    on_resumed(event.node);
  } else if (const auto* message = std::get_if<protocol::Message>(&event.what)) {
    on_any_message(event.node, *message);
  }
  end_if_all_gone();
}

// Nothing more is taken from a node whose agent does not keep to the conversation.
void Job::on_any_message(std::uint32_t node, const protocol::Message& message) {
  if (nodes_.state(node) == NodeState::done) return;
  try {
    on_message(node, message);
  } catch (const protocol::Error& error) {
    nodes_.send(node,
                protocol::Stop{true});  // Its link is well: once it counts as lost, nothing is sent to it.
    on_lost(node, std::string("its agent said what no agent says: ") + error.what());
  }
}

void Job::on_message(std::uint32_t node, const protocol::Message& message) {
  if (const auto* output = std::get_if<protocol::Output>(&message)) {
    if (ranks_.has(node, output->rank)) on_output(*output);
  } else if (const auto* hello = std::get_if<protocol::Hello>(&message)) {
    on_hello(node, *hello);
  } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
    if (failed_.insert(node).second) fail(node_failure(plan_, node, *failed));
  } else if (const auto* ready = std::get_if<protocol::Ready>(&message)) {
    on_ready(node, *ready);
  } else if (const auto* started = std::get_if<protocol::Started>(&message)) {
    if (ranks_.has(node, started->rank)) on_started(*started);
  } else if (const auto* exited = std::get_if<protocol::Exited>(&message)) {
    if (ranks_.has(node, exited->rank)) on_exited(*exited);
  } else if (const auto* joined = std::get_if<protocol::Joined>(&message)) {
    if (ranks_.has(node, joined->rank)) on_joined(*joined);
  } else if (const auto* abort = std::get_if<protocol::Abort>(&message)) {
    if (ranks_.has(node, abort->rank) && !ranks_.records()[abort->rank].abort) fail(ranks_.abort(*abort));
  } else if (const auto* answer = std::get_if<protocol::Answer>(&message)) {
    if (ranks_.has(node, answer->id)) on_answer(*answer);
  } else if (const auto* suspended = std::get_if<protocol::Suspend>(&message)) {
    if (suspended->on) moving_.erase(node);
  } else if (std::holds_alternative<protocol::Done>(message)) {
    nodes_.set(node, NodeState::done);
    moving_.erase(node);
  } else if (phase_ == Phase::connecting && staging_.take(node, message)) {
    on_staging();
  } else {
    exchange_.route(node, message, nodes_);
  }
}

void Job::on_hello(std::uint32_t node, const protocol::Hello& hello) {
  if (nodes_.state(node) != NodeState::connecting) throw protocol::Error("a second Hello");
  nodes_.set(node, NodeState::greeted);
  observer_.on_greeted(node, hello);
  if (const std::string refusal = version_refusal(hello); !refusal.empty()) {
    fail(node_failure(plan_, node, Failure::Kind::could_not_start, refusal));
    return;
  }
  start_if_all_ready();
}

void Job::on_staging() {
  observer_.on_staging(staging_.progress());
  start_if_all_ready();
}

// Nodes that are made alike warn alike: once is enough.
void Job::on_ready(std::uint32_t node, const protocol::Ready& ready) {
  if (!ready_.insert(node).second) throw protocol::Error("a second Ready");
  observer_.on_ready(node, ready);
  if (!ready.warning.empty() && warnings_.insert(ready.warning).second)
    observer_.on_notice(plan_.nodes[node].host.name + ": " + base::clean_line(ready.warning));
}

void Job::on_output(const protocol::Output& output) {
  if (output.stream > protocol::Stream::err) throw protocol::Error("output of a stream that no program has");
  hang_.watch().hear(output.rank, output.bytes, now_);
  observer_.on_output(output.rank, output.stream, output.bytes);
  if (limits_.hang_timeout) hang_.watch().step(output.rank, observer_.step_of(output.rank), now_);
}

void Job::on_started(const protocol::Started& started) {
  ranks_.start(started);
  hang_.watch().start(started.rank, now_);
  observer_.on_started(started);
}

void Job::on_exited(const protocol::Exited& exited) {
  hang_.watch().end(exited.rank);
  const std::optional<Failure> failure = ranks_.end(exited);
  observer_.on_exited(exited.rank, ranks_.records()[exited.rank]);
  if (failure) fail(*failure);
  fail_if_a_rank_is_missed();
}

void Job::on_joined(const protocol::Joined& joined) {
  if (!ranks_.join(joined)) return;
  observer_.on_joined(joined.rank);
  fail_if_a_rank_is_missed();
}

void Job::fail_if_a_rank_is_missed() {
  if (phase_ != Phase::running) return;
  if (const auto failure = ranks_.missed_in_mpi()) fail(*failure);
}

void Job::on_answer(const protocol::Answer& answer) {
  if (phase_ != Phase::running) return;
  if (const auto failure = hang_.take(answer, now_)) fail(*failure);
}

void Job::on_lost(std::uint32_t node, const std::string& reason) {
  const NodeState before = nodes_.state(node);
  nodes_.set(node, NodeState::lost);
  cut_.erase(node);
  moving_.erase(node);
  if (before == NodeState::done) return;
  ranks_.lose(node);
  observer_.on_lost(node, reason);
  fail(node_failure(
      plan_, node,
      before == NodeState::connecting ? Failure::Kind::could_not_start : Failure::Kind::node_lost, reason));
}

void Job::on_cut(std::uint32_t node, const std::string& reason) {
  cut_.insert(node);
  observer_.on_notice(plan_.nodes[node].host.name + ": cut off, and being looked for: " + reason);
}

// What its ranks printed meanwhile is still to come.
void Job::on_resumed(std::uint32_t node) {
  cut_.erase(node);
  hang_.watch().held_up(now_);
  observer_.on_notice(plan_.nodes[node].host.name + ": found again, nothing was lost");
}

}  // namespace adarun::launcher
