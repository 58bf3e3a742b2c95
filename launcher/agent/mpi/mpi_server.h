// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/base/poll.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Serves one protocol (PMIx, PMI-1) to the ranks of this node, by which an MPI program finds its rank, its
/// world and its peers with no mpirun. What the servers of several nodes have for one another goes through
/// the launcher, as messages. Passive, for the agent's thread; nothing in it blocks.
class MpiServer {
 public:
  /// What a rank is started with.
  struct RankStart {
    std::vector<std::string> environment;  ///< "NAME=VALUE"
    base::FileDescriptor socket;           ///< Which its process inherits; to be closed here then. -1: none.
  };

  MpiServer() = default;
  MpiServer(const MpiServer&) = delete;
  MpiServer& operator=(const MpiServer&) = delete;
  virtual ~MpiServer() = default;

  /// What its fences are told by from those of other servers.
  virtual protocol::Service service() const = 0;

  /// Call it once for a rank, before the fork. Nothing for a process that is not in the node map. Throws
  /// agent::Error.
  virtual RankStart admit(std::uint32_t rank) = 0;

  /// What to wait for. Call `collect` in each turn after that.
  virtual void watch(Poll& poll) = 0;

  /// Takes in what a rank that has ended wrote before.
  virtual void hear_out(std::uint32_t /*rank*/) {}

  /// What the ranks' requests have for the launcher: Joined, Fence, ModexRequest, ModexReply, Abort.
  virtual std::vector<protocol::Message> collect() = 0;

  /// Whether the rank has connected, and whether it has finalized since, as far as was collected.
  virtual bool has_connected(std::uint32_t rank) const = 0;
  virtual bool has_finalized(std::uint32_t rank) const = 0;

  /// What the launcher brings from other nodes. Only PMIx lets a rank ask for what a single other one has
  /// published.
  virtual void finish_fence(const protocol::FenceDone& done) = 0;
  virtual void answer_request(const protocol::ModexRequest& /*request*/) {}
  virtual void take_reply(const protocol::ModexReply& /*reply*/) {}
};

}  // namespace adarun::launcher::agent
