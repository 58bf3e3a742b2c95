// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "launcher/protocol/defaults.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// The way to a node is gone, or could not be made. Nothing more comes from it.
struct LinkLost {
  std::string reason;  ///< One line, without the node's name.

  bool operator==(const LinkLost&) const = default;
};

/// A link has come to a further step on the way to its agent.
struct LinkStep {
  std::string name;          ///< Such as "key exchange".
  std::int64_t time_ns = 0;  ///< Since the Unix epoch.

  bool operator==(const LinkStep&) const = default;
};

/// Something about a link that is worth knowing to whoever looks for a fault.
struct LinkRemark {
  std::string text;  ///< One line, without the node's name.

  bool operator==(const LinkRemark&) const = default;
};

/// A look at a node's clock from here, all of it in nanoseconds since the Unix epoch.
struct ClockReading {
  std::int64_t node_ns = 0;      ///< What the node's clock said, at some moment between the other two.
  std::int64_t asked_ns = 0;     ///< By our clock.
  std::int64_t answered_ns = 0;  ///< By our clock.

  bool operator==(const ClockReading&) const = default;
};

/// The way to a node is cut; another one is being looked for, until the lease is over.
struct LinkCut {
  std::string reason;  ///< One line, without the node's name.

  bool operator==(const LinkCut&) const = default;
};

/// The way to a node stands again, and nothing was lost.
struct LinkResumed {
  bool operator==(const LinkResumed&) const = default;
};

/// What a transport tells about one node.
struct TransportEvent {
  std::uint32_t node = 0;  ///< Index into the plan's nodes.
  std::variant<protocol::Message, LinkLost, LinkStep, ClockReading, LinkCut, LinkResumed, LinkRemark> what;
};

/// Bounds on waiting, the same for every way to reach a node.
struct LinkOptions {
  /// What a user may ask for. Signs of life go out on a beat of 100 ms, and any machine may stand still for
  /// some of them: a shorter lease would lose nodes that are well.
  static constexpr std::chrono::milliseconds least_lease{1'000};

  std::chrono::milliseconds connect_timeout =
      default_connect_timeout;  ///< From the start to the agent's Hello.
  std::chrono::milliseconds lease =
      default_lease;            ///< Pings go out often enough for it; silence longer is a loss.
  int fanout = default_fanout;  ///< How many nodes connect at once.
  /// What may wait for one node that does not take it in, before the node is lost.
  std::uint64_t most_kept_bytes = std::uint64_t{512} << 20U;
};

/// Frames to and from the agents of a job. What take() has given counts as dealt with when take() is called
/// again, or the object destroyed: until then agents keep it. Connecting begins when the object is made;
/// destroying it hangs up on every node at once, upon which agents end what they run, at the latest when
/// their lease is over.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Queues a message, made into bytes once for all `nodes`; never blocks. Ignored for nodes that are lost.
  virtual void send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) = 0;
  void send(std::uint32_t node, const protocol::Message& message) { send(std::vector{node}, message); }

  /// Whether a node that is silent may be given up for it. Excused when this process is about to stand still;
  /// when it counts again, it counts from then on.
  enum class Silence { counts, excused };
  virtual void take_silence(Silence silence) = 0;

  /// A descriptor that is readable while take() has something to give.
  virtual int ready_fd() const = 0;

  /// What came since the last call, in order per node. Never blocks.
  virtual std::vector<TransportEvent> take() = 0;
};

}  // namespace adarun::launcher
