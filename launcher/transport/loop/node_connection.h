// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/transport/loop/closing_links.h"
#include "launcher/transport/loop/event_queue.h"
#include "launcher/transport/loop/frame_stream.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/loop/ping_schedule.h"
#include "launcher/transport/loop/resumption.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// What the connections of a loop share. Outlives them; but for the events it belongs to the I/O thread.
struct ConnectionContext {
  LinkOptions options;
  Relink relink;  ///< Empty: a link that breaks is lost.
  ClosingLinks closing;
  EventQueue events;
  PingSchedule pings;
  bool reading = true;  ///< Whether there is room in the events for what agents send.
};

/// The connection to the agent of one node: opens its link, moves frames, and watches that the agent is heard
/// from. All that happens to it is told as events. Passive: the loop says when to go on. Nothing blocks and
/// nothing is thrown.
class NodeConnection {
 public:
  using Clock = std::chrono::steady_clock;

  NodeConnection(std::uint32_t node, std::unique_ptr<Link> link, ConnectionContext& context)
      : node_(node),
        context_(context),
        link_(std::move(link)),
        resumption_(node, context.relink, context.events, context.closing) {}

  bool is_waiting() const { return state_ == State::waiting; }
  bool is_connecting() const { return state_ == State::opening || state_ == State::awaiting_hello; }

  /// Begins to connect, where it is waiting for that.
  void start();

  /// Queues a frame; ignored where the node is lost.
  void send(Outbox::Bytes frame);

  /// Sends a ping, unless a frame waits that proves as much.
  void ping(const PingFrame& ping);

  /// Acknowledges what the main thread is done with.
  void acknowledge(FrameStream::Acknowledge when);

  /// Whether there is a link to poll, what for (a descriptor of -1: it has none yet), and the same of another
  /// link that is to replace it.
  bool has_link() const { return link_ && state_ != State::waiting && state_ != State::lost; }
  pollfd link_poll() const;
  std::optional<pollfd> reconnect_poll() const;

  /// Whether something may be read or written. The loop sets it, too, by what it has polled.
  bool is_due() const { return due_; }
  void set_due() { due_ = true; }

  /// Goes on with opening, reading and writing.
  void advance();

  /// Goes on with looking for another link, where that is going on.
  void reconnect();

  /// The time in which the agent must be heard begins anew: `excuse_silence` as this process stands still,
  /// `excuse_unread` as what may have come was not read.
  void excuse_silence();
  void excuse_unread();

  /// Looks for another link where the agent is silent, and loses the node where it was for too long. By when
  /// links were polled, not by now: where this process was stopped since, what came meanwhile is read first.
  void check_silence(Clock::time_point polled_at);

  /// Sends and reads what it can at once, at the end of the loop.
  void flush();

  /// Leaves all links to be closed.
  void hang_up();

 private:
  /// waiting -> opening: start().
  /// opening -> awaiting_hello: the link is open, at its far end the agent is being started.
  /// awaiting_hello -> open: the agent has said Hello.
  /// any -> lost: the link broke or ended; Hello did not come within the connect timeout, or later nothing
  ///              within the lease; the agent sent what is no frame, or takes in nothing.
  /// Where the agent can be reached again, a link that breaks is no reason: the connection stays open.
  enum class State { waiting, opening, awaiting_hello, open, lost };

  void open();
  bool receive();
  bool deliver();
  void take_hello(const protocol::Message& message);
  void take(protocol::Message message);
  void send_ping(const PingFrame& ping);
  void renew_lease();
  void resume();
  void break_off(const std::string& reason);
  void lose(const std::string& reason);

  std::uint32_t node_;
  ConnectionContext& context_;
  State state_ = State::waiting;
  std::unique_ptr<Link> link_;  ///< None while an open connection is cut, and once it is lost.
  std::string_view step_;       ///< The last that was told of it.
  FrameStream stream_;
  Resumption resumption_;
  bool due_ = true;
  Clock::time_point deadline_;  ///< By when something must have been heard.
  protocol::Ping ping_;         ///< The last one,
  std::int64_t pinged_ns_ = 0;  ///< and when it went out.
};

}  // namespace adarun::launcher
