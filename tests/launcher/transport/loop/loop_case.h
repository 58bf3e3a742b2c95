// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "launcher/base/error.h"
#include "launcher/transport/loop/loop.h"
#include "tests/launcher/transport/fake_link.h"

namespace adarun::launcher {

using namespace std::chrono_literals;

/// What a message of a node that is silent ends with.
inline const std::string mend =
    " (is the node up, and the network to it? a longer --lease bridges longer cuts)";

/// A loop whose links are fakes.
class LoopTest : public testing::Test {
 protected:
  // A link whose far side's bytes are counted, and one such after the other.
  std::unique_ptr<Link> link(Script script) {
    if (!script.takes)
      script.takes = [this](std::string_view bytes) {
        written_ += bytes.size();
        return bytes.size();
      };
    return std::make_unique<FakeLink>(std::move(script));
  }
  Relink links(const Script& script) {
    return [this, script](const std::vector<std::string>&) { return link(script); };
  }
  // Runs one node's script and gives its first event; every wait here has a deadline.
  TransportEvent first_event(Script script, const LinkOptions& options = {1s, 10s, 1}) {
    run(std::move(script), options);
    return next_event();
  }
  // Runs one node.
  void run(Script script, const LinkOptions& options, Relink again = nullptr) {
    events_.clear();
    loop_.emplace(options);
    add(std::move(script), std::move(again));
  }
  void add(Script script, Relink again = nullptr) {
    std::vector<NodeLink> links;
    links.push_back({"node", link(std::move(script)), std::move(again)});
    loop_->add(std::move(links));
  }
  // Progress events of connecting are left out.
  TransportEvent next_event() {
    while (true) {
      TransportEvent event = next_of_all();
      if (const auto* step = std::get_if<LinkStep>(&event.what)) {
        steps_.push_back(step->name);
      } else if (!std::holds_alternative<LinkRemark>(event.what)) {
        return event;
      }
    }
  }
  TransportEvent next_of_all() {
    while (events_.empty()) {  // What has come may all be for the log.
      pollfd polled{loop_->ready_fd(), POLLIN, 0};
      if (poll(&polled, 1, 10'000) != 1) throw Error("no event came");
      events_ = loop_->take();
    }
    TransportEvent event = events_.front();
    events_.erase(events_.begin());
    return event;
  }
  LinkLost lost(const TransportEvent& event) { return std::get<LinkLost>(event.what); }
  std::string reason(const TransportEvent& event) { return lost(event).reason; }
  protocol::Message message(const TransportEvent& event) { return std::get<protocol::Message>(event.what); }
  static std::string hello() {
    return std::string(protocol::magic) + protocol::encode(protocol::Hello{"1", "h", 2, 3});
  }
  // The messages of an agent that can be reconnected to.
  static std::string resumable_hello() {
    return hello() + protocol::encode(protocol::Rendezvous{{"/bin/agent", "--resume", "/there"}});
  }

  std::atomic<std::size_t> written_ = 0;
  std::vector<TransportEvent> events_;
  std::vector<std::string> steps_;
  std::optional<Loop> loop_;
};

}  // namespace adarun::launcher
