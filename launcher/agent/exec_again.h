// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "launcher/agent/connection/channel.h"
#include "launcher/agent/ranks/environment.h"

namespace adarun::launcher::agent {

/// What an agent passes to the program that replaces it in the same process: descriptors, and where its
/// stream to and from the launcher stands.
struct ExecState {
  std::int32_t in = -1;
  std::int32_t out = -1;
  std::int32_t bringer = -1;  ///< See Connection; -1: none.
  std::int32_t heartbeat = -1;
  std::string note;  ///< For the Hello.
  StreamPosition stream;

  void fields(auto& archive) {
    archive(in, out, bringer, heartbeat, note, stream.sent, stream.received, stream.unread);
  }
};

/// Replaces this process by a fresh agent, which continues the conversation: nothing of an ended attempt,
/// such as the state of libpmix, is left in it. Returns only by throwing agent::Error.
[[noreturn]] void exec_again(const ExecState& handed_over, const Environment& environment);

/// Implements `adarun-agent --continue FD`: reads what was handed over. Throws agent::Error, or
/// protocol::Error if it is malformed.
ExecState take_over(int fd);

}  // namespace adarun::launcher::agent
