// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// How a conversation outlives its connection, and what was not delivered outlives its agent.
//
// Each side keeps what it has sent until the other says Received. The agent tells by a Rendezvous how to
// reach it again; on the new connection each side first says Resumed, and goes on behind what the other one
// has.

namespace adarun::launcher::protocol {

/// both ways: how much of what the other side has sent has been taken in for good.
struct Received {
  std::uint64_t position = 0;  ///< In bytes of frames since the conversation began.

  void fields(auto& archive) { archive(position); }
  bool operator==(const Received&) const = default;
};

/// agent -> launcher: how to reach this agent by another connection, for as long as it lives.
struct Rendezvous {
  std::vector<std::string> command;  ///< Program and arguments, to be run on its node.

  void fields(auto& archive) { archive(command); }
  bool operator==(const Rendezvous&) const = default;
};

/// both ways: first on a further connection, and no part of the conversation: what has come so far.
struct Resumed {
  std::uint64_t position = 0;  ///< As in Received, but of bytes that have come, whole frames or not.

  void fields(auto& archive) { archive(position); }
  bool operator==(const Resumed&) const = default;
};

/// launcher -> agent: say again what an agent of an earlier job could not deliver before it had to end. Its
/// Output and Exited come, then Recalled; or Failed, where that agent still runs. Instead of Start.
struct Recall {
  std::string job_id;
  std::uint32_t node = 0;
  std::string scratch = {};  ///< What the name of that agent's scratch folder begins with.

  void fields(auto& archive) { archive(job_id, node, scratch); }
  bool operator==(const Recall&) const = default;
};

/// agent -> launcher: there is no more of it.
struct Recalled {
  bool found = false;  ///< Whether anything was kept.

  void fields(auto& archive) { archive(found); }
  bool operator==(const Recalled&) const = default;
};

/// launcher -> agent: what was recalled is safe now and is to be removed on the node.
struct Forget {
  void fields(auto& archive) { archive(); }
  bool operator==(const Forget&) const = default;
};

}  // namespace adarun::launcher::protocol
