// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/probe_session.h"

#include <poll.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/describe.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds longest_wait{1'000};

// An agent sends at most limit_bytes of names, each at least one byte long.
std::size_t held_by_answer(const protocol::Query& query) {
  return (1 + sizeof(std::string)) * std::size_t{query.limit_bytes} + protocol::most_brief_bytes;
}

void wait(const Transport& transport, const ProbeSession& session) {
  std::chrono::milliseconds timeout = longest_wait;
  if (const auto deadline = session.deadline())
    timeout = std::clamp(std::chrono::ceil<std::chrono::milliseconds>(*deadline - ProbeSession::Clock::now()),
                         std::chrono::milliseconds(0), longest_wait);
  pollfd polled{transport.ready_fd(), POLLIN, 0};
  poll(&polled, 1, static_cast<int>(timeout.count()));
}

}  // namespace

ProbeSession::ProbeSession(std::vector<NodeProbe*> probes) : nodes_(probes.size()) {
  for (std::size_t i = 0; i < probes.size(); ++i) nodes_[i].probe = probes[i];
  progress_.nodes = nodes_.size();
}

void ProbeSession::on_event(const TransportEvent& event, Clock::time_point now) {
  if (const auto* message = std::get_if<protocol::Message>(&event.what))
    on_message(event.node, *message, now);
  if (const auto* step = std::get_if<LinkStep>(&event.what))
    if (nodes_[event.node].state == State::connecting) nodes_[event.node].probe->take_step(*step);
  if (const auto* lost = std::get_if<LinkLost>(&event.what)) leave(nodes_[event.node], lost->reason);
  wake_waiting(now);
}

void ProbeSession::on_message(std::uint32_t index, const protocol::Message& message, Clock::time_point now) {
  Node& node = nodes_[index];
  if (const auto* hello = std::get_if<protocol::Hello>(&message);
      hello != nullptr && node.state == State::connecting) {
    ++progress_.connected;
    node.state = State::asking;
    const std::string refusal = version_refusal(*hello);
    if (refusal.empty()) return ask_next(index, now);
    dismiss(index, refusal, now);
  } else if (const auto* answer = std::get_if<protocol::Answer>(&message)) {
    if (node.state == State::asking) on_answer(index, *answer, now);
  } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
    if (node.state == State::asking) dismiss(index, failed->message, now);
  } else if (std::holds_alternative<protocol::Done>(message)) {
    leave(node, "its agent left before it had answered");
  }
}

void ProbeSession::on_answer(std::uint32_t index, const protocol::Answer& answer, Clock::time_point now) {
  Node& node = nodes_[index];
  const auto asked = node.open.extract(answer.id);
  if (asked.empty()) return;
  ++progress_.answers;
  if (protocol::held_bytes(answer) > held_by_answer(asked.mapped()))
    return dismiss(index, "its agent answered with more than it was asked for", now);
  try {
    node.probe->take(asked.mapped(), answer);
  } catch (const std::exception& error) {
    return dismiss(index, error.what(), now);
  }
  if (node.open.empty()) ask_next(index, now);
}

void ProbeSession::ask_next(std::uint32_t index, Clock::time_point now) {
  Node& node = nodes_[index];
  std::vector<protocol::Query> queries;
  try {
    queries = node.probe->next();
  } catch (const std::exception& error) {
    return dismiss(index, error.what(), now);
  }
  node.deadline.reset();
  if (queries.empty() && node.probe->waits()) {
    waiting_.insert(index);
    return;
  }
  waiting_.erase(index);
  if (queries.empty()) return dismiss(index, "", now);
  node.timeout = slack;
  for (protocol::Query& query : queries) {
    query.id = node.next_id++;
    node.timeout = std::max<std::chrono::milliseconds>(node.timeout,
                                                       slack + std::chrono::milliseconds(query.deadline_ms));
    outgoing_.push_back({{index}, query});
    node.open.emplace(query.id, std::move(query));
  }
  node.deadline = now + node.timeout;
}

// Asking one may begin the next turn.
void ProbeSession::wake_waiting(Clock::time_point now) {
  while (!waiting_.empty()) {
    const std::size_t turn = nodes_[*waiting_.begin()].probe->turn();
    if (turn == std::exchange(woken_turn_, turn)) return;
    for (const std::uint32_t index : std::vector<std::uint32_t>(waiting_.begin(), waiting_.end())) {
      if (nodes_[index].state == State::asking)
        ask_next(index, now);
      else
        waiting_.erase(index);
    }
  }
}

// Tells the agent to exit, which also ends what it still runs.
void ProbeSession::dismiss(std::uint32_t index, const std::string& reason, Clock::time_point now) {
  Node& node = nodes_[index];
  conclude(node, reason);
  outgoing_.push_back({{index}, protocol::Stop{true}});
  node.deadline = now + farewell;
  node.state = State::leaving;
}

// `reason`: why the probe failed, unless it was done before.
void ProbeSession::leave(Node& node, const std::string& reason) {
  if (node.state == State::connecting || node.state == State::asking) conclude(node, reason);
  node.state = State::over;
  node.deadline.reset();
}

void ProbeSession::conclude(Node& node, const std::string& reason) {
  ++(reason.empty() ? progress_.done : progress_.failed);
  node.reason = reason;
  node.open.clear();
  if (!reason.empty()) node.probe->lose();
}

void ProbeSession::on_time(Clock::time_point now) {
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    Node& node = nodes_[index];
    if (!node.deadline || now < *node.deadline) continue;
    if (node.state == State::asking) {
      dismiss(index, "has not answered within " + base::describe(node.timeout), now);
    } else {
      node.state = State::over;
      node.deadline.reset();
    }
  }
  wake_waiting(now);
}

std::optional<ProbeSession::Clock::time_point> ProbeSession::deadline() const {
  std::optional<Clock::time_point> first;
  for (const Node& node : nodes_)
    if (node.deadline) first = first ? std::min(*first, *node.deadline) : *node.deadline;
  return first;
}

bool ProbeSession::ended() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.state == State::over; });
}

std::vector<std::string> ProbeSession::reasons() const {
  std::vector<std::string> reasons;
  for (const Node& node : nodes_) reasons.push_back(node.reason);
  return reasons;
}

std::vector<std::string> ask(Transport& transport, const std::vector<NodeProbe*>& probes,
                             const ShowProgress& show) {
  ProbeSession session(probes);
  ProbeProgress shown;
  while (!session.ended()) {
    wait(transport, session);
    for (const TransportEvent& event : transport.take()) session.on_event(event, ProbeSession::Clock::now());
    session.on_time(ProbeSession::Clock::now());
    for (const Outgoing& out : session.take_outgoing()) transport.send(out.nodes, out.message);
    if (session.progress() == shown) continue;
    shown = session.progress();
    show(shown);
  }
  return session.reasons();
}

}  // namespace adarun::launcher
