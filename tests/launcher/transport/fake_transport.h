// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/eventfd.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/version.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// A transport with simulated nodes: each has sent Hello, and answers what it is sent.
class FakeTransport : public Transport {
 public:
  using Answer = std::function<std::vector<protocol::Message>(std::uint32_t, const protocol::Message&)>;

  explicit FakeTransport(std::uint32_t nodes, Answer answer) : answer_(std::move(answer)) { add(nodes); }
  void add(std::uint32_t nodes) {
    for (const std::uint32_t end = nodes_ + nodes; nodes_ < end; ++nodes_)
      events_.push_back({nodes_, protocol::Hello{base::version(), "h", 1, 0}});
  }
  void send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) override {
    sent.push_back(message);
    receivers.push_back(nodes);
    for (const std::uint32_t node : nodes)
      for (protocol::Message& reply : answer_(node, message)) events_.push_back({node, std::move(reply)});
  }
  void say(std::uint32_t node, protocol::Message message) { events_.push_back({node, std::move(message)}); }
  void lose(std::uint32_t node, const std::string& reason) { events_.push_back({node, LinkLost{reason}}); }
  void stop_all() override {}
  void take_silence(Silence /*silence*/) override {}
  int ready_fd() const override { return always_ready_.get(); }
  std::vector<TransportEvent> take() override {
    if (again) events_.push_back(*again);
    return std::exchange(events_, {});
  }

  std::vector<protocol::Message> sent;
  std::vector<std::vector<std::uint32_t>> receivers;  ///< Of each message sent.
  std::optional<TransportEvent> again;                ///< Returned by each call.

 private:
  Answer answer_;
  std::uint32_t nodes_ = 0;
  std::vector<TransportEvent> events_;
  base::FileDescriptor always_ready_{eventfd(1, EFD_CLOEXEC)};
};

}  // namespace adarun::launcher
