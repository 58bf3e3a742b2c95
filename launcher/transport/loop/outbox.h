// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/protocol/archive.h"

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
      throw protocol::Error("cannot go on from byte " + std::to_string(position));
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

}  // namespace adarun::launcher
