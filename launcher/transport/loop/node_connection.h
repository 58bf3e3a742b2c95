// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/transport/loop/event_queue.h"
#include "launcher/transport/loop/frame_stream.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/loop/reconnector.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// State shared by the connections of a loop. Outlives them; all but the events belongs to the I/O thread.
struct ConnectionContext {
  LinkOptions options;
  ClosingLinks closing;
  EventQueue events;
  std::uint64_t pings = 0;  ///< How many were made: each has a number of its own.
  bool reading = true;      ///< Whether the event queue has room for what agents send.
};

/// The connection to the agent of one node: opens its link, moves frames, and checks that the agent is heard
/// from. Reports what happens to it as events. Passive: the loop drives it. Nothing blocks and nothing is
/// thrown.
class NodeConnection {
 public:
  using Clock = std::chrono::steady_clock;

  NodeConnection(std::uint32_t node, NodeLink link, ConnectionContext& context)
      : node_(node),
        context_(context),
        link_(std::move(link.link)),
        reconnector_(node, std::move(link.again), context.events, context.closing) {}

  bool is_waiting() const { return state_ == State::waiting; }
  bool is_connecting() const { return state_ == State::opening || state_ == State::awaiting_hello; }

  /// Begins to connect if it is waiting to.
  void start();

  /// Queues a frame; ignored where the node is lost.
  void send(Outbox::Bytes frame);

  /// Sends the ping of this number, unless a queued frame shows as well that we are alive.
  void ping(std::uint64_t number, Outbox::Bytes frame);

  /// Acknowledges what the main thread has processed.
  void acknowledge(FrameStream::Acknowledge when);

  /// Whether there is a link to poll, what for (a descriptor of -1: it has none yet), and the same for
  /// another link that is to replace it.
  bool has_link() const { return link_ && state_ != State::waiting && state_ != State::lost; }
  pollfd link_poll() const;
  std::optional<pollfd> reconnect_poll() const;

  /// Whether something may be read or written. The loop sets it, too, from its poll.
  bool is_due() const { return due_; }
  void set_due() { due_ = true; }

  /// Continues to open, to read, and to write FrameStream::most_per_turn bytes.
  void advance() { advance(FrameStream::most_per_turn); }

  /// Continues to look for another link, if that has begun.
  void reconnect();

  /// Restart the time in which the agent must be heard: `excuse_silence` when this process is stopped,
  /// `excuse_unread` when received bytes were not read.
  void excuse_silence();
  void excuse_unread();

  /// This process did not run for `late`, and may not have read or sent what was due meanwhile: adds that to
  /// the time in which the agent must be heard.
  void excuse(Clock::duration late);

  /// Looks for another link if the agent is silent, and loses the node if it was silent for too long.
  /// Measured at the time of the last poll, not now: if this process was stopped since, bytes received
  /// meanwhile are read first.
  void check_silence(Clock::time_point polled_at);

  /// Sends and reads what is possible without waiting, at the end of the loop.
  void flush();

  /// Hands all links over to be closed.
  void hang_up();

 private:
  /// waiting -> opening: start().
  /// opening -> awaiting_hello: the link is open, and the agent is being started at its far end.
  /// awaiting_hello -> open: the agent has sent Hello.
  /// any -> lost: the link broke or ended; Hello did not come within the connect timeout, or later nothing
  ///              within the lease; the agent sent an invalid frame, or does not read.
  /// If the agent can be reached again, a broken link is no loss: the connection stays open. A resumed link
  /// that breaks at once, and over which nothing came, is no sign of life.
  enum class State { waiting, opening, awaiting_hello, open, lost };

  void advance(std::size_t most_written);
  void open();
  void report_step();
  bool receive();
  bool deliver();
  void take_hello(const protocol::Message& message);
  void take(protocol::Message message);
  void send_ping(std::uint64_t number, Outbox::Bytes frame);
  void renew_lease();
  void confirm_if_lasting(Clock::time_point now);
  void check_open(Clock::time_point polled_at);
  void resume();
  void break_off(const std::string& reason);
  void lose(const std::string& reason, std::chrono::milliseconds runs_on);
  std::chrono::milliseconds unheard() const;

  std::uint32_t node_;
  ConnectionContext& context_;
  State state_ = State::waiting;
  std::unique_ptr<Link> link_;    ///< None while an open connection is cut, and after it is lost.
  std::string step_;              ///< The last one that was reported,
  Clock::time_point step_begun_;  ///< and when it was.
  FrameStream stream_;
  Reconnector reconnector_;
  bool due_ = true;
  bool busy_ = false;                  ///< LinkCut has said so, and nothing was heard since.
  Clock::time_point acknowledged_at_;  ///< When the silent node was last seen to acknowledge what it is sent.
  Clock::time_point deadline_;         ///< By when something must be received.
  /// When the agent last answered a search, if nothing else was heard since, nor has that link lasted.
  std::optional<Clock::time_point> resumed_at_;
  std::uint64_t ping_ = 0;      ///< The number of the last one sent,
  std::int64_t pinged_ns_ = 0;  ///< and when it was sent.
  bool is_agent_gone_ = false;  ///< The end of its link tells that, and that all it ran is ended.
};

}  // namespace adarun::launcher
