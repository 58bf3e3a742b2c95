// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "launcher/base/error.h"
#include "launcher/transport/loop/loop.h"

namespace adarun::launcher {

using namespace std::chrono_literals;

// The behaviour of a far side: the bytes it sends, then silence or an end.
struct Script {
  std::string sends;
  bool opens = true;
  bool ends = false;
  std::string breaks;  // Thrown by read() after all bytes were sent.
  std::string status_text;
  const std::atomic<bool>* may_open = nullptr;  // If given: does not open before it is true.
  const std::atomic<bool>* may_close = nullptr;
  bool for_good = false;
};

inline const std::string mend =
    " (is the node up, and the network to it? a longer --lease bridges longer cuts)";

class FakeLink : public Link {
 public:
  FakeLink(Script script, std::atomic<std::size_t>* written)
      : script_(std::move(script)), written_(written) {}

  int fd() const override { return -1; }
  short wanted() const override { return POLLIN; }
  bool open() override { return script_.opens && is_true(script_.may_open); }
  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), script_.sends.size() - sent_);
    std::copy_n(script_.sends.begin() + static_cast<std::ptrdiff_t>(sent_), size, buffer.begin());
    sent_ += size;
    if (size == 0 && !script_.breaks.empty()) throw Error(script_.breaks);
    return size;
  }
  std::size_t write(std::string_view bytes) override {
    *written_ += bytes.size();
    return bytes.size();
  }
  bool ended() const override { return script_.ends; }
  bool ended_for_good() override { return script_.for_good; }
  std::string status_text() override { return script_.status_text; }
  bool close() override { return is_true(script_.may_close); }

 private:
  static bool is_true(const std::atomic<bool>* flag) { return flag == nullptr || *flag; }

  Script script_;
  std::size_t sent_ = 0;
  std::atomic<std::size_t>* written_;
};

class LoopTest : public testing::Test {
 protected:
  // Runs one node's script and gives its first event; every wait here has a deadline.
  TransportEvent first_event(const Script& script, const LinkOptions& options) {
    run(std::make_unique<FakeLink>(script, &written_), options);
    return next_event();
  }
  // Runs one node.
  void run(std::unique_ptr<Link> link, const LinkOptions& options, Relink again = nullptr) {
    loop_.emplace(options);
    add(std::move(link), std::move(again));
  }
  void add(std::unique_ptr<Link> link, Relink again = nullptr) {
    std::vector<NodeLink> links;
    links.push_back({"node", std::move(link), std::move(again)});
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
  std::string reason(const TransportEvent& event) { return std::get<LinkLost>(event.what).reason; }

  static std::string hello() {
    return std::string(protocol::magic) + protocol::encode(protocol::Hello{"1", "h", 2, 3});
  }

  std::atomic<std::size_t> written_ = 0;
  std::vector<TransportEvent> events_;
  std::vector<std::string> steps_;
  std::optional<Loop> loop_;
};

}  // namespace adarun::launcher
