// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/node_replacement.h"

#include <algorithm>

#include "launcher/base/error.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher {

void NodeReplacement::lose(std::uint32_t node, Clock::time_point end) {
  const bool ran_nothing = awaited_.erase(node) + staging_.erase(node) > 0;
  if (is_possible()) gone_.insert_or_assign(node, ran_nothing ? Clock::time_point::min() : end);
}

void NodeReplacement::greet(std::uint32_t node, Clock::time_point now) {
  if (context_.nodes.state(node) != NodeState::greeted || awaited_.erase(node) == 0) return;
  const Plan& plan = context_.plan;
  staging_.try_emplace(node, plan.stage, plan.options.workdir, context_.nodes, node).first->second.begin();
  start_if_ready(node, now);
}

void NodeReplacement::require_ranks_of(std::uint32_t node, const protocol::Message& message) const {
  if (!is_staging(node)) return;
  const bool is_of_agent = protocol::is_any_of<protocol::Hello, protocol::StagePresent, protocol::StageTaken,
                                               protocol::Staged, protocol::Ready, protocol::Failed,
                                               protocol::Suspend, protocol::Done, protocol::Ended>(message);
  if (!is_of_agent) throw protocol::Error("it speaks of ranks before it has any");
}

bool NodeReplacement::take(std::uint32_t node, const protocol::Message& message, Clock::time_point now) {
  const auto found = staging_.find(node);
  try {
    if (found == staging_.end() || !found->second.take(node, message)) return false;
  } catch (const Error& error) {
    give_up(node, error.what(), now);
  }
  start_if_ready(node, now);
  return true;
}

void NodeReplacement::read_files(Clock::time_point now) {
  for (const std::uint32_t node : spares_that(&Staging::reading)) {
    try {
      staging_.at(node).tick();
    } catch (const Error& error) {
      give_up(node, error.what(), now);
    }
  }
}

// A file here cannot be read: no other spare would get it either.
void NodeReplacement::give_up(std::uint32_t node, const std::string& why, Clock::time_point now) {
  end_idle(node, now);
  gone_.erase(node);
  context_.observer.on_notice(why + "; the job continues with " + context_.elasticity.describe_members() +
                              "; no spare can take the place of " + context_.plan.nodes[node].host.name);
}

// An agent of another version, or without its files, does not know yet that it is lost.
void NodeReplacement::lose_outside(const Failure& failure, Clock::time_point now) {
  const std::uint32_t node = *failure.node;
  if (context_.nodes.state(node) == NodeState::greeted && !context_.node_status.has_failed(node))
    end_idle(node, now);
  context_.observer.on_notice(failure.message + "; the job continues with " +
                              context_.elasticity.describe_members() + replace_if_gone(node, now));
}

void NodeReplacement::end_idle(std::uint32_t node, Clock::time_point now) {
  context_.nodes.send(node, protocol::Stop{true});
  context_.nodes.set(node, NodeState::lost);
  lose(node, now);
}

std::string NodeReplacement::replace_if_gone(std::uint32_t node, Clock::time_point now) {
  const auto found = gone_.find(node);
  const bool is_gone = found != gone_.end() && found->second <= now;
  return is_gone && !suspension_.is_on() ? replace(node) : "";
}

void NodeReplacement::replace_gone(Clock::time_point now) {
  if (suspension_.is_on()) return;
  std::vector<std::uint32_t> nodes;
  for (const auto& [node, end] : gone_)
    if (end <= now) nodes.push_back(node);
  for (const std::uint32_t node : nodes) {
    const std::string lost = context_.plan.nodes[node].host.name;
    if (const std::string text = replace(node); !text.empty())
      context_.observer.on_notice(lost + ": nothing runs there any more" + text);
  }
}

std::string NodeReplacement::replace(std::uint32_t node) {
  gone_.erase(node);
  if (!context_.elasticity.is_node_missed(node) || context_.elasticity.members().empty()) return "";
  if (exchange_.published() == nullptr)
    return "; no spare takes its place: ranks have published more by PMI than is kept for one";
  context_.ranks.note_times(node, context_.node_status.clocks()[node]);
  const std::string lost = context_.plan.nodes[node].host.name;
  const std::string why_not = take_place_(node);
  if (!why_not.empty()) return "; " + why_not;
  context_.nodes.drop_queued(node);  // It was for the node that was there.
  awaited_.insert(node);
  context_.node_status.renew(node);
  context_.observer.on_replaced(node, lost);
  return "; " + context_.plan.nodes[node].host.name + " takes its place";
}

void NodeReplacement::start_ready(Clock::time_point now) {
  for (const std::uint32_t node : spares_that(&Staging::ended)) start_if_ready(node, now);
}

void NodeReplacement::start_if_ready(std::uint32_t node, Clock::time_point now) {
  const auto found = staging_.find(node);
  if (suspension_.is_on() || found == staging_.end() || !found->second.ended()) return;
  staging_.erase(found);
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
  gone_.clear();
  staging_.clear();
  for (const std::uint32_t node : std::exchange(awaited_, {})) context_.nodes.set(node, NodeState::lost);
}

std::optional<NodeReplacement::Clock::time_point> NodeReplacement::deadline(Clock::time_point now) const {
  if (suspension_.is_on()) return std::nullopt;
  if (!spares_that(&Staging::reading).empty()) return now;
  std::optional<Clock::time_point> next;
  for (const auto& [node, end] : gone_) next = std::min(next.value_or(end), end);
  return next;
}

std::vector<std::uint32_t> NodeReplacement::spares_that(bool (Staging::*are)() const) const {
  std::vector<std::uint32_t> nodes;
  for (const auto& [node, staging] : staging_)
    if ((staging.*are)()) nodes.push_back(node);
  return nodes;
}

}  // namespace adarun::launcher
