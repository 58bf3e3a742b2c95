// SPDX-License-Identifier: Apache-2.0
// How a conversation outlives its link: what each side has is told, a link that breaks or falls silent is
// replaced by another one, and both sides go on where the other one stands.
#include <algorithm>
#include <exception>
#include <utility>

#include "base/describe.h"
#include "launcher/transport/loop/loop.h"

namespace adarun::launcher {
namespace {

// An agent keeps, in memory, what we have not acknowledged.
constexpr std::uint64_t most_unacknowledged = 1U << 20U;
// However long the lease is, a link that is silent for so long is not waited for alone.
constexpr std::chrono::milliseconds longest_silence{10'000};

std::chrono::milliseconds timeout_of(std::chrono::milliseconds lease) {
  return std::min(lease / 2, longest_silence);
}

}  // namespace

// What agent and loop have to say to each other alone.
bool Loop::keep_for_itself(Lane& lane, const protocol::Message& message) {
  lane.done = lane.done || std::holds_alternative<protocol::Done>(message);
  if (const auto* received = std::get_if<protocol::Received>(&message)) {
    lane.outgoing.acknowledge(received->position);
    return true;
  }
  const auto* rendezvous = std::get_if<protocol::Rendezvous>(&message);
  if (rendezvous == nullptr) return false;
  require_way_back(rendezvous->command);
  lane.rendezvous = rendezvous->command;
  return true;
}

// An agent that has said Done waits for nothing but this.
void Loop::acknowledge(std::uint32_t node, bool now) {
  Lane& lane = lanes_[node];
  const std::uint64_t parsed = lane.reader.position();
  if (lane.state != State::open || !lane.link || parsed == lane.acknowledged) return;
  const std::uint64_t position = events_.done_with(node, parsed);
  const bool all_of_it = lane.done && position == parsed;
  if (position <= lane.acknowledged) return;
  if (!now && !all_of_it && position - lane.acknowledged < most_unacknowledged) return;
  lane.acknowledged = position;
  lane.outgoing.add(std::make_shared<const std::string>(protocol::encode(protocol::Received{position})));
  lane.due = true;
  if (all_of_it) lane.rendezvous.clear();
}

void Loop::hear(std::uint32_t node) {
  Lane& lane = lanes_[node];
  lane.deadline = Clock::now() + options_.lease;
  if (lane.reconnector && !lane.reconnector->committed()) lane.reconnector.reset();
  if (lane.cut.empty()) return;
  lane.cut.clear();
  events_.push({node, LinkResumed{}});
}

// A link that is silent may be a cable that was pulled: another one is tried beside it.
void Loop::doubt(std::uint32_t node) {
  const Lane& lane = lanes_[node];
  const std::chrono::milliseconds timeout = timeout_of(options_.lease);
  if (lane.reconnector || lane.rendezvous.empty() || looked_at_ < lane.deadline - options_.lease + timeout)
    return;
  look_for_another_link(node, "no sign of life for " + base::describe(timeout));
}

void Loop::break_off(std::uint32_t node, const std::string& reason) {
  Lane& lane = lanes_[node];
  if (lane.state != State::open || lane.rendezvous.empty()) return lose(node, reason);
  leaving_.push_back(std::move(lane.link));
  look_for_another_link(node, reason);
}

void Loop::look_for_another_link(std::uint32_t node, const std::string& why) {
  Lane& lane = lanes_[node];
  if (!relink_) return lane.link ? void() : lose(node, why);
  if (lane.cut.empty()) {
    lane.cut = why;
    events_.push({node, LinkCut{why}});
  }
  if (!lane.reconnector)
    lane.reconnector = std::make_unique<Reconnector>(
        [this, node, command = lane.rendezvous] { return relink_(node, command); },
        [this](std::unique_ptr<Link> link) { leaving_.push_back(std::move(link)); }, Clock::now());
}

void Loop::come_back(std::uint32_t node) {
  Lane& lane = lanes_[node];
  switch (lane.reconnector->advance(Clock::now())) {
    case Reconnector::State::trying:
      if (std::exchange(lane.tried, lane.reconnector->reason()) != lane.reconnector->reason() &&
          !lane.tried.empty())
        events_.push({node, LinkRemark{"no way back yet: " + lane.tried}});
      return;
    case Reconnector::State::met:
      return resume(node);
    case Reconnector::State::refused:
      return lose(node, std::string(lane.cut));  // Which has the agent's last words.
  }
}

void Loop::resume(std::uint32_t node) {
  Lane& lane = lanes_[node];
  try {
    const std::unique_ptr<Reconnector> reconnector = std::move(lane.reconnector);
    lane.outgoing.rewind(reconnector->position());
    lane.preface = protocol::encode(protocol::Resumed{lane.reader.received()});
    if (lane.link) leaving_.push_back(std::move(lane.link));
    lane.link = reconnector->take_link();
    lane.reader.feed(reconnector->take_rest());
    lane.due = true;
    hear(node);
    deliver(node, lane);
  } catch (const std::exception& error) {
    lose(node, error.what());
  }
}

std::string Loop::ending_of_lease(const Lane& lane) const {
  std::string text = lane.cut.empty() || lane.link
                         ? "no sign of life for " + base::describe(options_.lease)
                         : lane.cut + "; no way back within " + base::describe(options_.lease);
  if (lane.reconnector && !lane.reconnector->reason().empty()) text += ": " + lane.reconnector->reason();
  return text + " (is the node up, and the network to it? a longer --lease bridges longer cuts)";
}

}  // namespace adarun::launcher
