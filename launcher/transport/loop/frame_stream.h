// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
/// sent until the other one acknowledges it, and counts what it has received: so both can continue over
/// another link without a gap. Used by one thread; nothing blocks.
class FrameStream {
 public:
  /// An acknowledgement lets the agent free memory: `in_bulk` is after each MiB, or at once if the agent
  /// waits for nothing else.
  enum class Acknowledge { in_bulk, now };

  /// Queues a frame.
  void send(Outbox::Bytes frame) { outbox_.add(std::move(frame)); }

  /// Whether queued frames are still to be written, and how many bytes the agent has not acknowledged.
  bool has_unsent_frames() const { return !outbox_.empty(); }
  std::uint64_t kept_bytes() const { return outbox_.kept_bytes(); }

  /// Drops all frames.
  void clear() { outbox_.clear(); }

  /// What one node is given in one turn of the loop, in bytes, so that the others get their pings meanwhile.
  static constexpr std::size_t most_per_turn = 256U << 10U;

  /// Writes what the link takes, at most `most` bytes; true if it has taken anything. Throws Error if it is
  /// broken.
  bool transmit(Link& link, std::size_t most = most_per_turn);

  /// Adds bytes read from a link.
  void feed(std::string_view bytes) { reader_.feed(bytes); }

  /// The next message of the agent; see FrameReader::next().
  std::optional<protocol::Message> next() { return reader_.next(); }

  /// The reader, for the received position and for text that came before the first frame.
  const protocol::FrameReader& reader() const { return reader_; }

  /// The agent has received all before this position. Throws protocol::Error if that was never sent.
  void confirm_sent(std::uint64_t position) { outbox_.acknowledge(position); }

  /// The agent has sent Done or Ended, or, later, another Hello.
  void note_done() { done_ = true; }
  void note_hello() { done_ = false; }

  /// Whether all messages that next() has returned are acknowledged.
  bool is_acknowledged() const { return acknowledged_ == reader_.position(); }

  /// Whether the agent waits for nothing more: it has sent Done or Ended, and that is acknowledged.
  bool is_finished() const { return done_ && is_acknowledged(); }

  /// Tells the agent that everything before `position` is processed here; true if a frame was queued for it.
  bool acknowledge(std::uint64_t position, Acknowledge when);

  /// Continues over another link. `position`: the agent has said on it that it has all before that; `rest`:
  /// bytes read after that message. Throws protocol::Error if bytes that the agent lacks are no longer kept.
  void resume(std::uint64_t position, std::string_view rest);

 private:
  protocol::FrameReader reader_{protocol::Opening::magic};
  std::string preface_;  ///< The Resumed message, to be written first on a further link.
  Outbox outbox_;
  std::uint64_t acknowledged_ = 0;
  bool done_ = false;
};

}  // namespace adarun::launcher
