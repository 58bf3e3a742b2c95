// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/node_status.h"

#include <algorithm>
#include <cstdlib>

#include "base/clean_text.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {
namespace {

constexpr std::int64_t drift_per_ns = 10'000;  // 1 ns per 10,000 ns.

// "3 processes that ranks left running: redis-server (rank 0), sleep (rank 1) and 1 more"
std::string describe_left(const protocol::LeftRunning& left) {
  constexpr std::size_t most_name_bytes = 64;  // The kernel's have 15.
  std::string names;
  for (const protocol::LeftProcess& process : left.processes) {
    const std::string name = base::clean_line(process.name, most_name_bytes);
    names += (names.empty() ? ": " : ", ") + (name.empty() ? "a process" : name);
    if (process.rank != protocol::LeftProcess::unknown_rank)
      names += " (rank " + std::to_string(process.rank) + ")";
  }
  const std::size_t others = left.count - left.processes.size();
  if (others > 0 && !names.empty()) names += " and " + std::to_string(others) + " more";
  return std::to_string(left.count) + (left.count == 1 ? " process" : " processes") +
         " that ranks left running" + names;
}

}  // namespace

std::int64_t NodeClock::Offset::bound_at(std::int64_t ns_here) const {
  return bound_ns + std::abs(ns_here - at_ns) / drift_per_ns;
}

void NodeClock::read(const ClockReading& reading) {
  const std::int64_t half = (reading.answered_ns - reading.asked_ns) / 2;
  if (half < 0) return;  // Our own clock was set back meanwhile.
  const std::int64_t middle = reading.asked_ns + half;
  const Offset fresh{reading.node_ns - middle, half, middle};
  const std::int64_t bound = best_ ? best_->bound_at(middle) : 0;
  if (!best_ || fresh.bound_ns <= bound || std::abs(fresh.ns - best_->ns) > fresh.bound_ns + bound)
    best_ = fresh;
}

std::optional<Moment> NodeClock::here(std::int64_t node_ns) const {
  if (!best_) return std::nullopt;
  const std::int64_t ns = node_ns - best_->ns;
  return Moment{ns, best_->bound_at(ns)};
}

std::optional<Failure> NodeStatus::greet(std::uint32_t node, const protocol::Hello& hello) {
  if (nodes_.state(node) != NodeState::connecting) throw protocol::Error("a second Hello");
  nodes_.set(node, NodeState::greeted);
  observer_.on_greeted(node, hello);
  const std::string refusal = version_refusal(hello);
  if (refusal.empty()) return std::nullopt;
  return node_failure(plan_, node, Failure::Kind::could_not_start, refusal);
}

// Identical nodes give the same warning; it is shown once.
void NodeStatus::set_ready(std::uint32_t node, const protocol::Ready& ready) {
  if (!ready_.insert(node).second) throw protocol::Error("a second Ready");
  observer_.on_ready(node, ready);
  if (!ready.warning.empty() && warnings_.insert(ready.warning).second)
    observer_.on_notice(plan_.nodes[node].host.name + ": " + base::clean_line(ready.warning));
}

std::optional<Failure> NodeStatus::fail(std::uint32_t node, const protocol::Failed& failed) {
  if (!failed_.insert(node).second) return std::nullopt;
  if (failed.failure == protocol::StartFailure::refused) refused_.insert(node);
  Failure failure = node_failure(plan_, node, failed);
  const bool have_run = std::ranges::all_of(plan_.nodes[node].start.ranks, [this](const auto& spec) {
    return ranks_.records()[spec.rank].state != RankState::waiting;
  });
  if (have_run && failure.kind == Failure::Kind::could_not_start) failure.kind = Failure::Kind::node_lost;
  return failure;
}

std::optional<Failure> NodeStatus::lose(std::uint32_t node, const std::string& reason) {
  const NodeState before = nodes_.state(node);
  nodes_.set(node, NodeState::lost);
  cut_.erase(node);
  if (before == NodeState::done) return std::nullopt;
  observer_.on_lost(node, reason);
  return node_failure(
      plan_, node,
      before == NodeState::connecting ? Failure::Kind::could_not_start : Failure::Kind::node_lost, reason);
}

void NodeStatus::renew(std::uint32_t node) {
  nodes_.set(node, NodeState::connecting);
  cut_.erase(node);
  ready_.erase(node);
  failed_.erase(node);
  left_running_.erase(node);
  ended_left_.erase(node);
  refused_.erase(node);
  clocks_[node] = {};
}

void NodeStatus::leave_running(std::uint32_t node, const protocol::LeftRunning& left) {
  if (!left.ending) {
    left_running_.insert(node);
    return;
  }
  if (left.processes.size() > protocol::LeftRunning::most_named || left.count < left.processes.size())
    throw protocol::Error("more processes that ranks left than it has counted");
  if (!ended_left_.insert(node).second) throw protocol::Error("a second end of what ranks left running");
  observer_.on_notice(plan_.nodes[node].host.name + ": ended " + describe_left(left));
}

void NodeStatus::cut(std::uint32_t node, const LinkCut& cut) {
  cut_.insert(node);
  observer_.on_notice(plan_.nodes[node].host.name +
                      (cut.kind == LinkCut::Kind::cut ? ": cut off, reconnecting: " : ": ") + cut.reason);
}

void NodeStatus::resume(std::uint32_t node) {
  cut_.erase(node);
  observer_.on_notice(plan_.nodes[node].host.name + ": found again, nothing was lost");
}

}  // namespace adarun::launcher
