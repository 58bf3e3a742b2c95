// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// A PMIx server for the ranks of this node: an MPI program finds its rank, its world and its peers by it,
/// with no mpirun. What servers have to tell one another goes through the launcher, as messages. For the
/// agent's thread; at most one at a time in a process.
class PmixServer {
 public:
  /// Loads libpmix and describes the job to it. `folder` (0700) is for its files. Throws agent::Error: no
  /// libpmix here, or one that does not do it.
  PmixServer(const protocol::Start& start, const std::string& folder);

  /// Nothing that its ranks ask reaches us any more; libpmix's thread stays until the process ends. For the
  /// time when they are gone.
  ~PmixServer();
  PmixServer(const PmixServer&) = delete;
  PmixServer& operator=(const PmixServer&) = delete;

  /// What this rank needs in its environment: "NAME=VALUE". Empty for a process that is not in the node map.
  /// Throws agent::Error.
  std::vector<std::string> environment(std::uint32_t rank);

  /// Readable when `collect` has something to give.
  int fd() const;

  /// What the ranks' calls have for the launcher: Joined, Fence, ModexRequest, ModexReply, Abort.
  std::vector<protocol::Message> collect();

  /// Whether the rank has spoken to the server, as far as was collected.
  bool has_connected(std::uint32_t rank) const;

  /// Whether it has taken its leave since, likewise.
  bool has_finalized(std::uint32_t rank) const;

  /// What the launcher brings from other nodes.
  void finish_fence(const protocol::FenceDone& done);
  void answer_request(const protocol::ModexRequest& request);
  void take_reply(const protocol::ModexReply& reply);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adarun::launcher::agent::pmix
