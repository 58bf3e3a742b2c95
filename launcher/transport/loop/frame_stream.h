// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/protocol/frame.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/loop/outbox.h"

namespace adarun::launcher {

/// The frames to and from the agent of one node, over one link after the other. Each side keeps what it has
/// sent until the other one acknowledges it, and counts what it has received: so both go on over another link
/// where each of them stands, without a gap. Used by one thread; nothing blocks.
class FrameStream {
 public:
  /// An acknowledgement lets the agent free memory: `in_bulk` after each MiB, or at once where it waits for
  /// nothing else.
  enum class Acknowledge { in_bulk, now };

  /// Queues a frame.
  void send(Outbox::Bytes frame) { outbox_.add(std::move(frame)); }

  /// Whether frames wait that no link has taken yet, and how many bytes the agent has not acknowledged.
  bool has_unsent_frames() const { return !outbox_.empty(); }
  std::uint64_t kept_bytes() const { return outbox_.kept_bytes(); }

  /// Forgets all that is kept to be sent.
  void clear() { outbox_.clear(); }

  /// Writes as much as the link takes; whether it has taken anything. Throws Error where it is broken.
  bool transmit(Link& link);

  /// Adds bytes as a link gave them.
  void feed(std::string_view bytes) { reader_.feed(bytes); }

  /// The next message of the agent; see FrameReader::next().
  std::optional<protocol::Message> next() { return reader_.next(); }

  /// What has come, for its position and for what came before the first frame.
  const protocol::FrameReader& reader() const { return reader_; }

  /// The agent has all before this position. Throws protocol::Error where that was never sent.
  void confirm_sent(std::uint64_t position) { outbox_.acknowledge(position); }

  /// The agent has said Done.
  void note_done() { done_ = true; }

  /// Whether all messages that next() has given are acknowledged.
  bool is_acknowledged() const { return acknowledged_ == reader_.position(); }

  /// Whether the agent waits for nothing more: it has said Done, and that is acknowledged.
  bool is_finished() const { return done_ && is_acknowledged(); }

  /// Tells the agent that what came before `position` is done with here; whether a frame was queued for it.
  bool acknowledge(std::uint64_t position, Acknowledge when);

  /// Goes on over another link, on which the agent has said that it has all before `position`, and of which
  /// `rest` was read behind that. Throws protocol::Error where what it lacks is not kept any more.
  void resume(std::uint64_t position, std::string_view rest);

 private:
  protocol::FrameReader reader_{protocol::Opening::magic};
  std::string preface_;  ///< Comes before all else on a further link.
  Outbox outbox_;
  std::uint64_t acknowledged_ = 0;
  bool done_ = false;
};

}  // namespace adarun::launcher
