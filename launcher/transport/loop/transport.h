// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "launcher/protocol/defaults.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// The connection to a node is lost, or could not be made. Nothing more comes from the node.
struct LinkLost {
  std::string reason;  ///< One line, without the node's name.
  /// What the node runs may continue for so long from now: its agent may be there and not know it yet.
  std::chrono::milliseconds runs_on{0};

  bool operator==(const LinkLost&) const = default;
};

/// A link has reached another step of connecting to its agent.
struct LinkStep {
  std::string name;          ///< Such as "exchange keys".
  std::int64_t time_ns = 0;  ///< Since the Unix epoch.

  bool operator==(const LinkStep&) const = default;
};

/// Information about a link that helps to find faults.
struct LinkRemark {
  std::string text;  ///< One line, without the node's name.

  bool operator==(const LinkRemark&) const = default;
};

/// What a node printed before its agent answered, such as the greeting of a login shell; its end, if it is
/// long.
struct LinkPreamble {
  std::string text;  ///< As it was printed.

  bool operator==(const LinkPreamble&) const = default;
};

/// A reading of a node's clock, all of it in nanoseconds since the Unix epoch.
struct ClockReading {
  std::int64_t node_ns = 0;      ///< The node's clock, at some moment between the other two.
  std::int64_t asked_ns = 0;     ///< By our clock.
  std::int64_t answered_ns = 0;  ///< By our clock.

  bool operator==(const ClockReading&) const = default;
};

/// A node is not heard from.
struct LinkCut {
  /// cut: its connection is; other links are tried until the lease is over.
  /// busy: its agent does not answer, and the node acknowledges what it is sent; that is borne for
  /// busy_limit().
  enum class Kind { cut, busy };
  std::string reason;  ///< One line, without the node's name.
  Kind kind = Kind::cut;

  bool operator==(const LinkCut&) const = default;
};

/// The node is heard from again, and nothing was lost.
struct LinkResumed {
  bool operator==(const LinkResumed&) const = default;
};

/// What a transport reports about one node.
struct TransportEvent {
  std::uint32_t node = 0;  ///< Index into the plan's nodes.
  std::variant<protocol::Message, LinkLost, LinkStep, ClockReading, LinkCut, LinkResumed, LinkRemark,
               LinkPreamble>
      what;
};

/// Whether an event is a message of this kind.
template <typename Kind>
bool is_message(const TransportEvent& event) {
  const auto* message = std::get_if<protocol::Message>(&event.what);
  return message != nullptr && std::holds_alternative<Kind>(*message);
}

/// Limits, the same for every kind of link.
struct LinkOptions {
  /// The shortest lease that a user may set. Pings are sent by a loop that wakes every 100 ms, and any
  /// machine may pause for several times as long: a shorter lease would lose healthy nodes.
  static constexpr std::chrono::milliseconds least_lease{1'000};

  std::chrono::milliseconds connect_timeout =
      default_connect_timeout;  ///< From the start to the agent's Hello.
  std::chrono::milliseconds lease =
      default_lease;            ///< Pings are sent often enough for it; a longer silence is a loss.
  int fanout = default_fanout;  ///< How many nodes connect at once.
  /// Bytes that one node may leave unacknowledged before it is lost.
  std::uint64_t most_kept_bytes = std::uint64_t{512} << 20U;
};

/// Frames to and from the agents of a job. What take() has returned counts as processed when take() is called
/// again, or the object destroyed: until then agents keep it. Connecting begins when the object is made.
/// Destroying it closes the connections to all nodes at once; agents then end what they run, at the latest
/// when their lease is over.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Queues a message, encoded once for all `nodes`; never blocks. Ignored for nodes that are lost.
  virtual void send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) = 0;
  void send(std::uint32_t node, const protocol::Message& message) { send(std::vector{node}, message); }

  /// Tells all agents to end what they run, with its grace period. From any thread, also while another one
  /// is blocked in one of the other functions' callers.
  virtual void stop_all() = 0;

  /// Whether a silent node may be lost for its silence. Excused while this process is about to be stopped;
  /// when silence counts again, it is measured from then on.
  enum class Silence { counts, excused };
  virtual void take_silence(Silence silence) = 0;

  /// A descriptor that is readable while take() has events.
  virtual int ready_fd() const = 0;

  /// The events since the last call, in order per node. Never blocks.
  virtual std::vector<TransportEvent> take() = 0;
};

/// A timeout for nodes that send nothing new: an agent that answers pings keeps its link for ever. Only time
/// spent waiting counts, not work done here, nor a stop of this process. Passive.
class SilenceTimeout {
 public:
  using Duration = std::chrono::steady_clock::duration;

  SilenceTimeout(std::size_t nodes, Duration most) : most_(most), left_(nodes) {}

  /// A node has sent something new, or got a request; `more`: time that the request needs beyond the usual.
  void renew(std::uint32_t node, Duration more = Duration::zero()) {
    left_[node] = std::max(left_[node].value_or(Duration::zero()), most_) + more;
  }

  /// Nothing is expected of it.
  void release(std::uint32_t node) { left_[node].reset(); }

  /// Counts time spent waiting, `beat` at most. Returns the nodes whose time is up, each once.
  std::vector<std::uint32_t> wait(Duration waited, Duration beat) {
    std::vector<std::uint32_t> over;
    for (std::uint32_t node = 0; node < left_.size(); ++node) {
      if (!left_[node] || (*left_[node] -= std::min(waited, beat)) > Duration::zero()) continue;
      left_[node].reset();
      over.push_back(node);
    }
    return over;
  }

 private:
  Duration most_;
  std::vector<std::optional<Duration>> left_;  ///< None: nothing is expected.
};

}  // namespace adarun::launcher
