// SPDX-License-Identifier: Apache-2.0
#include "tests/launcher/job/fake_cluster.h"

#include <algorithm>
#include <stdexcept>

#include "base/version.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

constexpr auto slowness = 30s;

// Similar to a PMIx server's bytes: some are repeated, some are specific to this node.
std::string exchanged_bytes(std::size_t size, std::uint32_t node) {
  std::string bytes;
  for (std::uint32_t number = node; bytes.size() < size; number = number * 1'664'525U + 1'013'904'223U)
    bytes += "btl.tcp.5.0" + std::to_string(number);
  bytes.resize(size);
  return bytes;
}

}  // namespace

FakeCluster::FakeCluster(const Plan& plan, const Scenario& scenario)
    : plan_(plan), scenario_(scenario), nodes_(plan.nodes.size()) {
  const std::string variable = "SOME_VARIABLE_OF_A_NODE=" + std::string(40, 'v');
  environment_.assign(scenario.environment_bytes / variable.size(), variable);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node)
    if (node != scenario.slow_node) say(node, protocol::Hello{base::version(), "host", 1, 0});
}

std::optional<TransportEvent> FakeCluster::next() {
  if (said_.empty()) return std::nullopt;
  TransportEvent event = std::move(said_.front());
  said_.pop_front();
  return event;
}

void FakeCluster::take(const Outgoing& out) {
  for (const std::uint32_t node : out.nodes) answer(node, out.message);
}

void FakeCluster::pass(Clock::duration /*time*/) {
  if (!scenario_.slow_node || slow_one_is_there_) return;
  slow_one_is_there_ = true;
  say(*scenario_.slow_node, protocol::Hello{base::version(), "host", 1, 0});
}

void FakeCluster::answer(std::uint32_t node, const protocol::Message& message) {
  if (nodes_[node].over) return;
  if (std::holds_alternative<protocol::Start>(message)) start(node);
  if (std::holds_alternative<protocol::FenceDone>(message)) proceed(node);
  if (std::holds_alternative<protocol::Stop>(message)) finish(node, true);
  if (const auto* query = std::get_if<protocol::Query>(&message)) {
    protocol::Answer answer;
    answer.id = query->id;
    answer.out = "state: S (sleeping)\n";
    say(node, std::move(answer));
  }
}

void FakeCluster::start(std::uint32_t node) {
  say(node, protocol::Ready{true, ""});
  for (const protocol::RankSpec& part : ranks_of(node))
    say(node, protocol::Started{part.rank, 100, 0, environment_});
  for (const protocol::RankSpec& part : ranks_of(node)) say(node, protocol::Joined{part.rank});
  enter_fence(node);
}

void FakeCluster::enter_fence(std::uint32_t node) {
  Node& entering = nodes_[node];
  const bool last = entering.fences + 1 == scenario_.fences;
  if (last && holds(node, scenario_.hanging_rank)) return;
  if (last && node == scenario_.lost_node) {
    entering.over = true;
    said_.push_back({node, LinkLost{"no sign of life for 10 s"}});
  } else if (last && holds(node, scenario_.failing_rank)) {
    exit(node, *scenario_.failing_rank, 7, false);
  } else {
    const std::size_t size =
        entering.fences == 0 ? scenario_.fence_bytes_per_rank * ranks_of(node).size() : 0;
    say(node, protocol::Fence{{}, exchanged_bytes(size, node)});
    ++entering.fences;
  }
}

void FakeCluster::proceed(std::uint32_t node) {
  if (nodes_[node].fences == scenario_.fences) return finish(node, false);
  const bool before_last = nodes_[node].fences + 1 == scenario_.fences;
  for (std::size_t line = 0; before_last && line < scenario_.lines; ++line)
    for (const protocol::RankSpec& part : ranks_of(node))
      say(node,
          protocol::Output{part.rank, protocol::Stream::out, "step " + std::to_string(line) + " loss 0.5\n"});
  enter_fence(node);
}

void FakeCluster::exit(std::uint32_t node, std::uint32_t rank, int code, bool stopped) {
  protocol::Exited exited;
  exited.rank = rank;
  exited.code = code;
  exited.signal = stopped ? 15 : 0;
  exited.stopped_by_us = stopped;
  exited.mpi_connected = true;
  exited.mpi_finalized = !stopped && code == 0;
  say(node, exited);
}

void FakeCluster::finish(std::uint32_t node, bool stopped) {
  for (const protocol::RankSpec& part : ranks_of(node))
    if (part.rank != scenario_.failing_rank || !stopped) exit(node, part.rank, 0, stopped);
  say(node, protocol::Done{});
  nodes_[node].over = true;
}

const std::vector<protocol::RankSpec>& FakeCluster::ranks_of(std::uint32_t node) const {
  return plan_.nodes[node].start.ranks;
}

bool FakeCluster::holds(std::uint32_t node, const std::optional<std::uint32_t>& rank) const {
  return rank && plan_.node_of_rank[*rank] == node;
}

Job::Clock::duration drive(Job& job, FakeCluster& cluster, Job::Clock::time_point begin,
                           const std::function<void(const TransportEvent&, Job::Clock::time_point)>& deal,
                           const std::function<void(const Outgoing&)>& sent) {
  Job::Clock::time_point now = begin;
  while (!job.ended()) {
    if (const auto event = cluster.next()) {
      deal(*event, now);
    } else {
      const Job::Clock::time_point later = job.deadline().value_or(now + slowness);
      if (later <= now) throw std::logic_error("the job waits for a moment that has passed");
      cluster.pass(later - now);
      now = later;
      job.on_time(now);
    }
    for (const Outgoing& out : job.take_outgoing()) {
      sent(out);
      cluster.take(out);
    }
  }
  return now - begin;
}

}  // namespace adarun::launcher
