// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/protocol/archive.h"
#include "launcher/protocol/frame.h"
#include "launcher/transport/loop/link.h"

namespace adarun::launcher {

/// Bytes to be sent to one node, and sent ones until the node acknowledges them: so they can be sent again
/// over another link. The same bytes may be queued for thousands of nodes: they are shared, not copied.
/// Positions count from the first byte ever added.
class Outbox {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  void add(Bytes bytes) {
    end_ += bytes->size();
    frames_.push_back(std::move(bytes));
  }
  void clear() { *this = {}; }

  /// Nothing is left to be sent.
  bool empty() const { return position_ == end_; }

  /// The number of bytes that the node has not acknowledged, sent or not.
  std::uint64_t kept_bytes() const { return end_ - begin_; }

  /// The next bytes to send, not necessarily all. Must not be called if there are none.
  std::string_view next() const { return std::string_view(*frames_[next_]).substr(position_ - next_begin_); }

  /// `size` bytes of next() were written.
  void sent(std::size_t size) {
    position_ += size;
    while (next_ < frames_.size() && position_ >= next_begin_ + frames_[next_]->size())
      next_begin_ += frames_[next_++]->size();
  }

  /// The node has everything before `position`. Throws protocol::Error if that was never sent.
  void acknowledge(std::uint64_t position) {
    if (position > position_) throw protocol::Error("more was received than was sent");
    for (; next_ > 0 && begin_ + frames_.front()->size() <= position; --next_) {
      begin_ += frames_.front()->size();
      frames_.pop_front();
    }
  }

  /// Sends again from `position`. Throws protocol::Error if it is not kept (any more).
  void rewind(std::uint64_t position) {
    if (position < begin_ || position > end_)
      throw protocol::Error("cannot continue from byte " + std::to_string(position));
    next_ = 0;
    next_begin_ = position_ = begin_;
    sent(position - begin_);
  }

 private:
  std::deque<Bytes> frames_;
  std::uint64_t begin_ = 0;       ///< Position of the first frame.
  std::size_t next_ = 0;          ///< The frame that is sent next,
  std::uint64_t next_begin_ = 0;  ///< its position,
  std::uint64_t position_ = 0;    ///< and the position up to which everything was sent.
  std::uint64_t end_ = 0;
};

/// A message as the bytes of its frame.
inline Outbox::Bytes encoded(const protocol::Message& message) {
  return std::make_shared<const std::string>(protocol::encode(message));
}

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
