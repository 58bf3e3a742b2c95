// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// An agent's channel over two pipes, with the test as its launcher.
class ChannelEnds {
 public:
  ChannelEnds() { set_nonblocking(from_agent_.read.get()); }

  Channel& channel() { return channel_; }

  /// Sends a message from the launcher, which the channel receives; returns whether it could be written.
  bool send(const protocol::Message& message) { return send_bytes(protocol::encode(message)); }

  /// The same for some bytes of a message.
  bool send_bytes(std::string_view bytes) {
    return ::write(to_agent_.write.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) &&
           channel_.receive(Clock::now());
  }

  /// Sends a message that the channel has still to receive, and closes both ends of the launcher.
  bool send_and_hang_up(const protocol::Message& message) {
    const std::string bytes = protocol::encode(message);
    const ssize_t written = ::write(to_agent_.write.get(), bytes.data(), bytes.size());
    to_agent_.write.reset();
    from_agent_.read.reset();
    return written == static_cast<ssize_t>(bytes.size());
  }

  /// What the launcher has received since the last call, including all that the channel can write.
  std::vector<protocol::Message> received() {
    std::vector<protocol::Message> messages;
    std::array<char, 64U << 10U> bytes{};
    for (ssize_t size = 1; size > 0;) {
      channel_.flush();
      size = ::read(from_agent_.read.get(), bytes.data(), bytes.size());
      if (size > 0) reader_.feed({bytes.data(), static_cast<std::size_t>(size)});
    }
    while (auto message = reader_.next()) messages.push_back(std::move(*message));
    return messages;
  }

 private:
  Pipe to_agent_ = make_pipe();
  Pipe from_agent_ = make_pipe();
  Channel channel_{Connection{std::move(to_agent_.read), std::move(from_agent_.write), {}}};
  protocol::FrameReader reader_{protocol::Opening::magic};
};

}  // namespace adarun::launcher::agent
