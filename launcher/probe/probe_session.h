// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/protocol/nodes.h"
#include "launcher/protocol/query.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Queries one node; which questions come next depends on the answers so far. An exception that it throws
/// ends it; the message, one line without the node's name, says why the node failed.
class NodeProbe {
 public:
  virtual ~NodeProbe() = default;

  /// The questions to send now, all at once; the caller sets their ids. Empty: the probe is done, unless it
  /// waits. Called at the start, and whenever all questions have been answered.
  virtual std::vector<protocol::Query> next() = 0;

  /// Whether the last `next` was empty because other nodes have to answer first. It is called again when
  /// turn() is another number, which is the same for all probes of a session.
  virtual bool waits() const { return false; }
  virtual std::size_t turn() const { return 0; }

  /// Takes the answer to one of them.
  virtual void take(const protocol::Query& query, const protocol::Answer& answer) = 0;

  /// A step of connecting to the node; all of them come before the first next().
  virtual void take_step(const LinkStep& /*step*/) {}

  /// The node has failed; the functions above are no longer called.
  virtual void lose() {}
};

/// Progress of a session.
struct ProbeProgress {
  std::size_t nodes = 0;
  std::size_t connected = 0;  ///< Nodes that have sent Hello, including those that failed later.
  std::size_t done = 0;
  std::size_t failed = 0;
  std::size_t answers = 0;

  bool operator==(const ProbeProgress&) const = default;
};

/// Queries all nodes in parallel, as a passive state machine. Input: events with the time of their arrival.
/// Output: messages. A node that fails does not affect the others. Borrows the probes.
class ProbeSession {
 public:
  using Clock = std::chrono::steady_clock;

  /// Extra time that a node may take to answer, beyond the deadlines of its questions.
  static constexpr std::chrono::seconds slack{5};

  /// How long to wait for agents that were told to exit.
  static constexpr std::chrono::seconds farewell{2};

  /// `probes[i]` is for node i.
  explicit ProbeSession(std::vector<NodeProbe*> probes);

  void on_event(const TransportEvent& event, Clock::time_point now);

  /// Call when `deadline()` has passed.
  void on_time(Clock::time_point now);

  std::vector<Outgoing> take_outgoing() { return std::exchange(outgoing_, {}); }
  std::optional<Clock::time_point> deadline() const;

  /// Whether every node is done or has failed, and its agent has exited.
  bool ended() const;

  /// Why each node failed, in one line without its name; empty: its probe completed.
  std::vector<std::string> reasons() const;

  const ProbeProgress& progress() const { return progress_; }

 private:
  /// State of a node:
  ///
  ///     connecting -> asking        Hello
  ///     asking -> leaving           its probe is done or has failed; its agent is told to exit
  ///     connecting, asking -> over  link lost, or its agent has exited
  ///     leaving -> over             the same, or `farewell` is over
  enum class State { connecting, asking, leaving, over };

  struct Node {
    NodeProbe* probe = nullptr;
    State state = State::connecting;
    std::map<std::uint32_t, protocol::Query> open;  ///< Unanswered questions, by id.
    std::uint32_t next_id = 0;
    std::optional<Clock::time_point> deadline;
    std::chrono::milliseconds timeout{0};
    std::string reason;
  };

  void on_message(std::uint32_t node, const protocol::Message& message, Clock::time_point now);
  void on_answer(std::uint32_t node, const protocol::Answer& answer, Clock::time_point now);
  void ask_next(std::uint32_t node, Clock::time_point now);
  void wake_waiting(Clock::time_point now);
  void dismiss(std::uint32_t node, const std::string& reason, Clock::time_point now);
  void conclude(Node& node, const std::string& reason);
  void leave(Node& node, const std::string& reason);

  std::vector<Node> nodes_;
  std::set<std::uint32_t> waiting_;  ///< Nodes whose probes wait for others.
  std::size_t woken_turn_ = 0;       ///< In which these were asked last.
  std::vector<Outgoing> outgoing_;
  ProbeProgress progress_;
};

/// Called when a node has connected, is done or has failed.
using ShowProgress = std::function<void(const ProbeProgress&)>;

/// Runs all probes in parallel over `transport`, `probes[i]` on node i, and returns for each node why it
/// failed: one line without its name, empty if its probe completed. Every wait has a deadline. The agents are
/// told to exit.
std::vector<std::string> ask(Transport& transport, const std::vector<NodeProbe*>& probes,
                             const ShowProgress& show);

}  // namespace adarun::launcher
