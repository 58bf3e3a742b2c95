// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/connection/connection.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/spool.h"

namespace adarun::launcher::agent {

/// The agent's end of its conversation with the launcher, over one connection after another. What the
/// launcher has not said to have is kept, where there may be a next one, and sent again over that. Nothing in
/// it blocks.
class Channel {
 public:
  /// So much waits for a launcher that takes what it is sent, before ranks are no longer read: no more than a
  /// processor's cache holds.
  static constexpr std::size_t full_bytes = 512U << 10U;

  /// So much is kept in memory; beyond it, a launcher that can be heard holds the ranks up, and without one
  /// it goes to the spool file, up to spool_bytes.
  static constexpr std::uint64_t memory_bytes = 32U << 20U;
  static constexpr std::uint64_t spool_bytes = most_spooled_bytes;

  /// Queues the magic. Throws agent::Error.
  explicit Channel(Connection first);

  /// From now on what was written is kept until the launcher has it; what goes beyond memory may be written
  /// to `spool_file`. After `silence` without a word from the launcher it counts as cut off.
  void keep_for_resume(const std::string& spool_file, std::chrono::milliseconds silence);

  /// Whether the end of a connection is not the end of all: keep_for_resume was called.
  bool resumable() const { return keeps_; }

  int in() const { return connection_.in.get(); }
  int out() const { return connection_.out.get(); }

  /// Queues a message; sent by `flush`.
  void send(const protocol::Message& message) { spool_.append(protocol::encode(message)); }

  /// Tells the launcher how much of its messages is done with, where that is news.
  void acknowledge();

  /// Writes what the launcher takes now. A connection that takes no more bytes is cut.
  void flush();

  /// Whether bytes wait that could be written now.
  bool has_unsent() const;

  /// Where the next message begins.
  std::uint64_t position() const { return spool_.end_position(); }

  /// Whether all before `position` was written, and whether the launcher has said that it has that.
  bool sent(std::uint64_t position) const { return preface_.empty() && spool_.sent_position() >= position; }
  bool delivered(std::uint64_t position) const { return spool_.acknowledged_position() >= position; }

  /// Whether there is no room for more output for now.
  bool full(Clock::time_point now) const;

  /// Whether ranks are not to be read for now: room is waited for.
  bool holds_ranks_up(Clock::time_point now) const { return full(now) && !abandoned_; }

  /// Nobody is there any more, and nobody will come: output may be dropped, nothing is awaited.
  void abandon() { abandoned_ = true; }
  bool abandoned() const { return abandoned_; }

  /// When the launcher counts as cut off, unless it is heard before.
  Clock::time_point cut_off_at() const { return heard_ + silence_; }

  /// There is a connection, whether or not anything moves on it.
  bool connected() const { return connection_.whole(); }

  /// Lets go of the connection.
  void cut();

  /// When that was last; at first, when it was made.
  Clock::time_point cut_at() const { return cut_at_; }

  /// Goes on over another connection. Throws agent::Error.
  void resume(Connection connection);

  /// Reads what is there, as far as one turn allows; false at the end of the stream. Throws protocol::Error.
  bool receive(Clock::time_point now);

  /// The next whole message. Throws protocol::Error.
  std::optional<protocol::Message> next();

  /// When bytes came last; at first, when it was made.
  Clock::time_point heard() const { return heard_; }

  /// Writes what was not delivered to the spool file. Throws protocol::Error.
  void keep() { spool_.keep(); }

 private:
  void take_in(std::string_view bytes);
  std::size_t write(std::string_view bytes);

  Connection connection_;
  std::string preface_;  ///< Comes before all else on a connection.
  protocol::Spool spool_;
  protocol::FrameReader reader_{protocol::Opening::frame};
  std::optional<protocol::FrameReader>
      opening_;  ///< On a further connection, until the launcher said Resumed.
  std::uint64_t acknowledged_ = 0;
  bool keeps_ = false;
  bool abandoned_ = false;
  std::chrono::milliseconds silence_ = std::chrono::hours(24);
  Clock::time_point heard_ = Clock::now();
  Clock::time_point cut_at_ = Clock::now();
};

}  // namespace adarun::launcher::agent
