// SPDX-License-Identifier: Apache-2.0
// The part of Job in which spares take the places of nodes that are lost while ranks go on.
#include <algorithm>

#include "launcher/base/error.h"
#include "launcher/job/job.h"
#include "launcher/protocol/error.h"

namespace adarun::launcher {
namespace {

template <typename... Kinds>
bool is_any_of(const protocol::Message& message) {
  return (std::holds_alternative<Kinds>(message) || ...);
}

}  // namespace

// Whether the others have gone on without all that run on a node, or are about to.
bool Job::is_outside(std::uint32_t node) const {
  bool any = false;
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks) {
    if (!elasticity_.is_outside(part.rank) && ranks_.records()[part.rank].state != RankState::done)
      return false;
    any = any || elasticity_.is_outside(part.rank);
  }
  return any;
}

// Whether its ranks have all ended well, and it is needed no more: its agent stays only for those that might
// have been started again.
bool Job::has_done_its_part(std::uint32_t node) const {
  const std::vector<protocol::RankSpec>& parts = plan_.nodes[node].start.ranks;
  return ranks_come_back() && std::ranges::all_of(parts, [this](const protocol::RankSpec& part) {
           return ranks_.records()[part.rank].state == RankState::done;
         });
}

// The members stay as they are. An agent that does not know it yet, of another version or without its files,
// is told to end.
void Job::lose_outside(const Failure& failure) {
  const std::uint32_t node = *failure.node;
  lose_ranks(node);
  if (nodes_.state(node) == NodeState::greeted && !node_status_.has_failed(node)) end_idle_spare(node);
  observer_.on_notice(failure.message + "; the job goes on with " + describe_members() +
                      replace_if_gone(node));
}

void Job::end_idle_spare(std::uint32_t node) {
  nodes_.send(node, protocol::Stop{true});
  nodes_.set(node, NodeState::lost);
  joins_.lose(node, now_);
}

std::string Job::describe_members() const {
  return describe_count(elasticity_.members(ranks_.records()).size());
}

bool Job::is_missed(std::uint32_t node) const {
  const std::vector<protocol::RankSpec>& parts = plan_.nodes[node].start.ranks;
  return std::ranges::any_of(
      parts, [this](const protocol::RankSpec& part) { return elasticity_.is_missed(part.rank); });
}

std::string Job::replace_if_gone(std::uint32_t node) {
  return joins_.is_gone(node, now_) && !suspension_.is_on() ? replace(node) : "";
}

// The end of a sentence; empty if its ranks are not missed.
std::string Job::replace(std::uint32_t node) {
  if (phase_ != JobPhase::running || !is_missed(node) || elasticity_.members(ranks_.records()).empty()) {
    joins_.forget(node);
    return "";
  }
  if (exchange_.published() == nullptr) {
    joins_.forget(node);
    return "; no spare takes its place: ranks have published more by PMI than is kept for one";
  }
  ranks_.note_times(node, node_status_.clocks()[node]);
  const std::string lost = plan_.nodes[node].host.name;
  const std::string why_not = joins_.replace(node);
  if (!why_not.empty()) return "; " + why_not;
  node_status_.renew(node);
  observer_.on_replaced(node, lost);
  return "; " + plan_.nodes[node].host.name + " takes its place";
}

// Of those that were not gone when they were lost, or while the job stood still.
void Job::replace_gone() {
  if (suspension_.is_on()) return;
  for (const std::uint32_t node : joins_.gone(now_)) {
    const std::string lost = plan_.nodes[node].host.name;
    if (const std::string text = replace(node); !text.empty())
      observer_.on_notice(lost + ": nothing runs there any more" + text);
  }
}

// What an agent says of ranks is refused as long as it has none.
void Job::require_ranks_of(std::uint32_t node, const protocol::Message& message) const {
  if (!joins_.is_staging(node)) return;
  const bool is_of_agent =
      is_any_of<protocol::Hello, protocol::StagePresent, protocol::StageTaken, protocol::Staged,
                protocol::Ready, protocol::Failed, protocol::Suspend, protocol::Done, protocol::Ended>(
          message);
  if (!is_of_agent) throw protocol::Error("it speaks of ranks before it has any");
}

// Returns whether the message was about the files of a spare.
bool Job::stage_to_spare(std::uint32_t node, const protocol::Message& message) {
  try {
    return joins_.take(node, message);
  } catch (const Error& error) {
    give_up_spare(node, error.what());
    return true;
  }
}

// A file here cannot be read: no other spare would get it either.
void Job::give_up_spare(std::uint32_t node, const std::string& why) {
  end_idle_spare(node);
  joins_.forget(node);
  observer_.on_notice(why + "; the job goes on with " + describe_members() +
                      "; no spare can take the place of " + plan_.nodes[node].host.name);
}

void Job::read_for_spare(std::uint32_t node) {
  try {
    joins_.read(node);
  } catch (const Error& error) {
    give_up_spare(node, error.what());
  }
}

// Those of its ranks that the others miss come as ranks do that are started again. While all ranks stand
// still, none starts.
void Job::start_spare_if_ready(std::uint32_t node) {
  if (suspension_.is_on() || !joins_.take_ready(node)) return;
  protocol::Start start = plan_.nodes[node].start;
  std::erase_if(start.ranks, [this](const auto& part) { return !elasticity_.is_missed(part.rank); });
  for (protocol::RankSpec& part : start.ranks) {
    ranks_.start_again(part.rank);
    part.restarts = restarts_.move(part.rank);
  }
  if (const std::string* published = exchange_.published()) start.published = *published;
  nodes_.send(node, plan_.job_spec);
  nodes_.send(node, std::move(start));
}

}  // namespace adarun::launcher
