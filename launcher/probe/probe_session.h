// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/probe/node_probe.h"
#include "launcher/protocol/nodes.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// How far a session has come.
struct ProbeProgress {
  std::size_t nodes = 0;
  std::size_t connected = 0;  ///< Have said Hello, now or before they failed.
  std::size_t done = 0;
  std::size_t failed = 0;

  bool operator==(const ProbeProgress&) const = default;
};

/// Asks all nodes at once, as a passive state machine: events go in with the time they came,
/// messages come out. A node that fails does not keep the others from being asked. Borrows the probes.
class ProbeSession {
 public:
  using Clock = std::chrono::steady_clock;

  /// Beyond the deadlines of its questions, what a node may take to answer.
  static constexpr std::chrono::seconds slack{5};

  /// How long agents that were told to end are waited for.
  static constexpr std::chrono::seconds farewell{2};

  /// `probes[i]` is of node i.
  explicit ProbeSession(std::vector<NodeProbe*> probes);

  void on_event(const TransportEvent& event, Clock::time_point now);

  /// To be called when `deadline()` has come.
  void on_time(Clock::time_point now);

  std::vector<Outgoing> take_outgoing() { return std::exchange(outgoing_, {}); }
  std::optional<Clock::time_point> deadline() const;

  /// Every node has been asked or has failed, and its agent has left.
  bool ended() const;

  /// Why each node failed, in one line without its name; empty: its probe came to its end.
  std::vector<std::string> reasons() const;

  const ProbeProgress& progress() const { return progress_; }

 private:
  /// Of a node:
  ///
  ///     connecting -> asking        Hello
  ///     asking -> leaving           its probe has all, or it failed: its agent is told to end
  ///     connecting, asking -> over  its link is gone, or its agent left
  ///     leaving -> over             likewise, or waited for long enough
  enum class State { connecting, asking, leaving, over };

  struct Node {
    NodeProbe* probe = nullptr;
    State state = State::connecting;
    std::map<std::uint32_t, protocol::Query> open;  ///< Questions without an answer yet, by id.
    std::uint32_t next_id = 0;
    std::optional<Clock::time_point> deadline;
    std::chrono::milliseconds timeout{0};
    std::string reason;
  };

  void on_message(std::uint32_t node, const protocol::Message& message, Clock::time_point now);
  void on_answer(std::uint32_t node, const protocol::Answer& answer, Clock::time_point now);
  void ask_next(std::uint32_t node, Clock::time_point now);
  void dismiss(std::uint32_t node, const std::string& reason, Clock::time_point now);
  void conclude(Node& node, const std::string& reason);
  void leave(Node& node, const std::string& reason);

  std::vector<Node> nodes_;
  std::vector<Outgoing> outgoing_;
  ProbeProgress progress_;
};

}  // namespace adarun::launcher
