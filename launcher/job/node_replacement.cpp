// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/node_replacement.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "launcher/base/error.h"
#include "launcher/protocol/error.h"

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

namespace {

template <typename... Kinds>
bool is_any_of(const protocol::Message& message) {
  return (std::holds_alternative<Kinds>(message) || ...);
}

}  // namespace

void NodeReplacement::greet(std::uint32_t node, Clock::time_point now) {
  if (context_.nodes.state(node) == NodeState::greeted && joins_.greet(node)) start_if_ready(node, now);
}

void NodeReplacement::require_ranks_of(std::uint32_t node, const protocol::Message& message) const {
  if (!joins_.is_staging(node)) return;
  const bool is_of_agent =
      is_any_of<protocol::Hello, protocol::StagePresent, protocol::StageTaken, protocol::Staged,
                protocol::Ready, protocol::Failed, protocol::Suspend, protocol::Done, protocol::Ended>(
          message);
  if (!is_of_agent) throw protocol::Error("it speaks of ranks before it has any");
}

bool NodeReplacement::take(std::uint32_t node, const protocol::Message& message, Clock::time_point now) {
  try {
    if (!joins_.take(node, message)) return false;
  } catch (const Error& error) {
    give_up(node, error.what(), now);
  }
  start_if_ready(node, now);
  return true;
}

void NodeReplacement::read_files(Clock::time_point now) {
  for (const std::uint32_t node : joins_.reading()) {
    try {
      joins_.read(node);
    } catch (const Error& error) {
      give_up(node, error.what(), now);
    }
  }
}

// A file here cannot be read: no other spare would get it either.
void NodeReplacement::give_up(std::uint32_t node, const std::string& why, Clock::time_point now) {
  end_idle(node, now);
  joins_.forget(node);
  context_.observer.on_notice(why + "; the job goes on with " + members_.describe_members() +
                              "; no spare can take the place of " + context_.plan.nodes[node].host.name);
}

// An agent of another version, or without its files, does not know yet that it is lost.
void NodeReplacement::lose_outside(const Failure& failure, Clock::time_point now) {
  const std::uint32_t node = *failure.node;
  if (context_.nodes.state(node) == NodeState::greeted && !context_.node_status.has_failed(node))
    end_idle(node, now);
  context_.observer.on_notice(failure.message + "; the job goes on with " + members_.describe_members() +
                              replace_if_gone(node, now));
}

void NodeReplacement::end_idle(std::uint32_t node, Clock::time_point now) {
  context_.nodes.send(node, protocol::Stop{true});
  context_.nodes.set(node, NodeState::lost);
  joins_.lose(node, now);
}

std::string NodeReplacement::replace_if_gone(std::uint32_t node, Clock::time_point now) {
  return joins_.is_gone(node, now) && !suspension_.is_on() ? replace(node) : "";
}

void NodeReplacement::replace_gone(Clock::time_point now) {
  if (suspension_.is_on()) return;
  for (const std::uint32_t node : joins_.gone(now)) {
    const std::string lost = context_.plan.nodes[node].host.name;
    if (const std::string text = replace(node); !text.empty())
      context_.observer.on_notice(lost + ": nothing runs there any more" + text);
  }
}

std::string NodeReplacement::replace(std::uint32_t node) {
  if (!members_.is_missed(node) || context_.elasticity.members(context_.ranks.records()).empty()) {
    joins_.forget(node);
    return "";
  }
  if (exchange_.published() == nullptr) {
    joins_.forget(node);
    return "; no spare takes its place: ranks have published more by PMI than is kept for one";
  }
  context_.ranks.note_times(node, context_.node_status.clocks()[node]);
  const std::string lost = context_.plan.nodes[node].host.name;
  const std::string why_not = joins_.replace(node);
  if (!why_not.empty()) return "; " + why_not;
  context_.node_status.renew(node);
  context_.observer.on_replaced(node, lost);
  return "; " + context_.plan.nodes[node].host.name + " takes its place";
}

void NodeReplacement::start_ready(Clock::time_point now) {
  for (const std::uint32_t node : joins_.ready()) start_if_ready(node, now);
}

void NodeReplacement::start_if_ready(std::uint32_t node, Clock::time_point now) {
  if (suspension_.is_on() || !joins_.take_ready(node)) return;
  protocol::Start start = context_.plan.nodes[node].start;
  std::erase_if(start.ranks, [this](const auto& spec) { return !context_.elasticity.is_missed(spec.rank); });
  for (protocol::RankSpec& spec : start.ranks) {
    context_.ranks.start_again(spec.rank);
    context_.hang_watch.start(spec.rank, now);
    spec.restarts = context_.restarts.move(spec.rank);
    spec.output_offset = context_.ranks.output_bytes(spec.rank);
  }
  if (const std::string* published = exchange_.published()) start.published = *published;
  context_.nodes.send(node, context_.plan.job_spec);
  context_.nodes.send(node, std::move(start));
}

void NodeReplacement::stop() {
  for (const std::uint32_t node : joins_.stop()) context_.nodes.set(node, NodeState::lost);
}

}  // namespace adarun::launcher
