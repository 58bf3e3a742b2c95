// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/protocol/direction.h"

// Messages by which a conversation continues over another connection, and by which the launcher gets output
// that an agent could not deliver before it ended.
//
// Each side keeps what it has sent until the other sends Received. The agent's Rendezvous says how to reach
// it again. On the new connection each side first sends Resumed, then continues after the bytes that the
// other one has received.

namespace adarun::launcher::protocol {

/// both ways: how much of the other side's stream was processed and need not be kept.
struct Received {
  std::uint64_t position = 0;  ///< In bytes of frames since the conversation began.

  static constexpr Direction direction = Direction::both;
  void fields(auto& archive) { archive(position); }
  bool operator==(const Received&) const = default;
};

/// agent -> launcher: how to open another connection to this agent, as long as it runs.
struct Rendezvous {
  std::vector<std::string> command;  ///< Program and arguments, to be run on its node.

  static constexpr Direction direction = Direction::to_launcher;
  void fields(auto& archive) { archive(command); }
  bool operator==(const Rendezvous&) const = default;
};

/// both ways: the first message on a further connection, not part of the stream: how much was received so
/// far.
struct Resumed {
  std::uint64_t position = 0;  ///< As in Received, but counts all received bytes, even of incomplete frames.

  static constexpr Direction direction = Direction::both;
  void fields(auto& archive) { archive(position); }
  bool operator==(const Resumed&) const = default;
};

/// launcher -> agent: send what the agent of an earlier job could not deliver before it ended. The reply is
/// its Output and Exited, then Recalled; or Failed if that agent still runs. Sent instead of Start.
struct Recall {
  std::string job_id;
  std::uint32_t node = 0;
  std::string scratch = {};  ///< Prefix of that agent's scratch folder (scratch_folder()); empty: do not
                             ///< check whether it runs.

  static constexpr Direction direction = Direction::to_agent;
  void fields(auto& archive) { archive(job_id, node, scratch); }
  bool operator==(const Recall&) const = default;
};

/// agent -> launcher: all recalled messages were sent.
struct Recalled {
  bool found = false;  ///< Whether anything was kept.

  static constexpr Direction direction = Direction::to_launcher;
  void fields(auto& archive) { archive(found); }
  bool operator==(const Recalled&) const = default;
};

/// launcher -> agent: the recalled messages are stored; remove them from the node.
struct Forget {
  static constexpr Direction direction = Direction::to_agent;
  void fields(auto& archive) { archive(); }
  bool operator==(const Forget&) const = default;
};

}  // namespace adarun::launcher::protocol
