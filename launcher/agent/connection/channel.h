// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "launcher/agent/base/poll.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/diagnostic.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"
#include "launcher/protocol/spool.h"

namespace adarun::launcher::agent {

/// One connection to the launcher.
struct Connection {
  base::FileDescriptor in;
  base::FileDescriptor out;
  base::FileDescriptor bringer;  ///< Socket of the process that passed `in` and `out`: closing it tells that
                                 ///< process that we closed them. None on the first connection.

  bool whole() const { return in && out; }
};

/// Where a stream stands, in bytes from its beginning.
struct StreamPosition {
  std::uint64_t sent = 0;      ///< Sent to the launcher, which has them.
  std::uint64_t received = 0;  ///< Received from the launcher, without `unread`.
  std::string unread;          ///< The beginning of the next message, already received.
};

/// The agent's message stream to and from the launcher, over one connection after another. Where reconnecting
/// is possible, messages are kept until the launcher acknowledges them and are sent again on the next
/// connection. Nothing in it blocks.
class Channel {
 public:
  /// Unsent bytes, while the launcher is reachable, beyond which ranks are no longer read. Fits in a
  /// processor's cache.
  static constexpr std::size_t full_bytes = 512U << 10U;

  /// Unacknowledged bytes kept in memory. Beyond that, ranks are not read while the launcher is reachable;
  /// while it is not, output goes to the spool file, up to spool_bytes.
  static constexpr std::uint64_t memory_bytes = 32U << 20U;
  static constexpr std::uint64_t spool_bytes = most_spooled_bytes;

  /// Queues the magic. Throws agent::Error.
  explicit Channel(Connection first);

  /// Continues a stream over its connection. Throws agent::Error.
  Channel(Connection current, const StreamPosition& position);

  /// Where the stream stands if another Channel can continue it on this connection: there is one, and all
  /// messages were sent. The caller checks that the launcher has those that matter.
  std::optional<StreamPosition> hand_over();

  /// From now on bytes are kept until the launcher acknowledges them; those beyond memory_bytes go to
  /// `spool_file`. After `silence` without a byte from the launcher it counts as cut off.
  void keep_for_resume(const std::string& spool_file, std::chrono::milliseconds silence);

  /// Whether the conversation can continue over another connection: keep_for_resume was called.
  bool resumable() const { return keeps_; }

  int in() const { return connection_.in.get(); }
  int out() const { return connection_.out.get(); }
  int bringer() const { return connection_.bringer ? connection_.bringer.get() : -1; }

  /// Queues a message; sent by `flush`.
  void send(const protocol::Message& message) {
    spool_.append(protocol::encode(message));
    spoken_ = Clock::now();
  }

  /// Sends Received for the messages processed so far, unless that was already sent.
  void acknowledge();

  /// Writes as much as the connection accepts without blocking. Where the launcher no longer reads, nothing
  /// more is written, and `receive` comes to the end of the stream, until `rest_due` at the latest.
  void flush();

  /// When the connection is to be cut, because the launcher no longer reads.
  std::optional<Clock::time_point> rest_due() const { return rest_due_; }

  /// Whether there are bytes to write on the current connection.
  bool has_unsent() const;

  /// The position in the outgoing stream at which the next message begins.
  std::uint64_t position() const { return spool_.end_position(); }

  /// Whether everything before `position` was written, and whether the launcher has acknowledged it.
  bool sent(std::uint64_t position) const { return preface_.empty() && spool_.sent_position() >= position; }
  bool delivered(std::uint64_t position) const { return spool_.acknowledged_position() >= position; }

  /// Whether there is no room for more output now.
  bool full(Clock::time_point now) const;

  /// Whether ranks must not be read until there is room again.
  bool holds_ranks_up(Clock::time_point now) const { return full(now) && !abandoned_; }

  /// The launcher is gone for good: output may be dropped and no input is expected.
  void abandon() { abandoned_ = true; }
  bool abandoned() const { return abandoned_; }

  /// When the launcher counts as cut off unless bytes arrive before.
  Clock::time_point cut_off_at() const { return heard_ + silence_; }

  /// Whether there is a connection, responsive or not.
  bool connected() const { return connection_.whole(); }

  /// Closes the connection.
  void cut();

  /// When the connection was last cut; initially the time of construction.
  Clock::time_point cut_at() const { return cut_at_; }

  /// Continues over another connection. Throws agent::Error.
  void resume(Connection connection);

  /// Does one read; false at the end of the stream. Throws protocol::Error.
  bool receive(Clock::time_point now);

  /// The next whole message. Throws protocol::Error.
  std::optional<protocol::Message> next();

  /// When bytes last arrived; initially the time of construction.
  Clock::time_point heard() const { return heard_; }

  /// When the launcher is due a message: `interval` after the last one, if bytes have arrived from it since;
  /// else once `silence` after its last bytes, so that a network that is cut is seen not to acknowledge it.
  std::optional<Clock::time_point> word_due(std::chrono::milliseconds interval,
                                            std::chrono::milliseconds silence) const {
    if (heard_ > spoken_) return spoken_ + interval;
    return spoken_ < heard_ + silence ? std::optional(heard_ + silence) : std::nullopt;
  }

  /// Writes undelivered messages to the spool file. Throws protocol::Error.
  void keep() { spool_.keep(); }

 private:
  void take_in(std::string_view bytes);
  std::size_t write(std::string_view bytes);

  Connection connection_;
  std::string preface_;  ///< Sent before anything else on a connection.
  protocol::Spool spool_;
  protocol::FrameReader reader_{protocol::Opening::frame};
  std::optional<protocol::FrameReader> opening_;  ///< On a later connection, until the launcher's Resumed.
  std::uint64_t acknowledged_ = 0;
  bool keeps_ = false;
  std::optional<Clock::time_point> rest_due_;  ///< Set where a write has failed.
  bool abandoned_ = false;
  std::chrono::milliseconds silence_ = std::chrono::hours(24);
  Clock::time_point heard_ = Clock::now();
  Clock::time_point spoken_ = Clock::now();  ///< When a message was last queued.
  Clock::time_point cut_at_ = Clock::now();
};

/// Sends debug messages of this agent to the launcher, which writes them to its log. Bounded in length and
/// number. Borrows the channel.
class DiagnosticSender {
 public:
  explicit DiagnosticSender(Channel& channel) : channel_(channel) {}

  void debug(const std::string& text);

  /// Sends nothing from now on: Done must be the last message.
  void stop() { stopped_ = true; }

 private:
  Channel& channel_;
  protocol::DiagnosticBudget budget_;
  bool stopped_ = false;
};

/// "12 ms": how long ago `begin` was.
std::string milliseconds_since(Clock::time_point begin);

/// Sends the last message of an attempt to the launcher (Done or Ended), and tracks it until the launcher has
/// it. Borrows the channel. Passive.
class DoneDelivery {
 public:
  /// How long to keep writing the last messages when the channel is abandoned.
  static constexpr std::chrono::seconds abandoned_timeout{1};

  /// waiting    -> delivered  resumable channel: it was acknowledged, since what is only written may be lost
  ///                          with the connection. Any other channel: it was written, or the connection is
  ///                          gone.
  /// waiting    -> given_up   the channel is abandoned and abandoned_timeout has passed.
  enum class State { waiting, delivered, given_up };

  /// Sends `last`.
  DoneDelivery(Channel& channel, const protocol::Message& last, Clock::time_point now);

  State state(Clock::time_point now) const;

  /// Adds the times at which the state may change.
  void watch(Poll& poll) const;

 private:
  Channel& channel_;
  Clock::time_point since_;
  std::uint64_t position_;  ///< In the stream to the launcher, just after the last message.
};

}  // namespace adarun::launcher::agent
