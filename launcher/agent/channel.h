// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "launcher/agent/clock.h"
#include "launcher/posix/file_descriptor.h"
#include "launcher/wire/frame.h"

namespace adarun::agent {

/// The agent's end of the stream to the launcher. Nothing in it blocks.
class Channel {
 public:
  /// From here on ranks are no longer read, until the launcher has taken some.
  static constexpr std::size_t full_bytes = 4U << 20U;

  /// Takes both descriptors over and queues the magic. Throws agent::Error.
  Channel(posix::FileDescriptor in, posix::FileDescriptor out);

  int in() const { return in_.get(); }
  int out() const { return out_.get(); }

  /// Queues a message; sent by `flush`. Dropped where nobody can take it any more.
  void send(const wire::Message& message);

  /// Writes what the launcher takes now.
  void flush();

  std::size_t waiting_bytes() const { return waiting_.size() - sent_; }
  bool full() const { return waiting_bytes() >= full_bytes; }

  /// The launcher takes no more bytes: its end is closed.
  bool broken() const { return !out_; }

  /// Reads what is there, as far as one turn allows; false at the end of the stream.
  bool receive(Clock::time_point now);

  /// The next whole message. Throws wire::Error.
  std::optional<wire::Message> next() { return reader_.next(); }

  /// When bytes came last; at first, when it was made.
  Clock::time_point heard() const { return heard_; }

 private:
  posix::FileDescriptor in_;
  posix::FileDescriptor out_;
  std::string waiting_{wire::magic};
  std::size_t sent_ = 0;
  wire::FrameReader reader_{wire::Opening::frame};
  Clock::time_point heard_ = Clock::now();
};

}  // namespace adarun::agent
