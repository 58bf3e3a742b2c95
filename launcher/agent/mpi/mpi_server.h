// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/wall_clock.h"
#include "launcher/agent/base/poll.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// The most bytes that the ranks of a node may put into one Fence or ModexReply, with 4 for each participant:
/// the launcher gives up a node that sends more than most_fence_bytes, which has the other fields, too.
inline constexpr std::size_t most_exchanged_bytes = protocol::most_fence_bytes - 1024;

/// How many programs a call of MPI_Comm_spawn wants to start.
enum class Programs { one, several };

/// What the launcher is told where `rank` has called MPI_Comm_spawn: that ends the job, since the others wait
/// in it for processes that nobody starts. It wants `count` processes of `program`, the first of `programs`;
/// `count` is text, as a rank that speaks PMI has written it.
inline protocol::Abort spawn_ends_job(std::uint32_t rank, const std::string& count,
                                      const std::string& program, Programs programs) {
  constexpr std::int32_t mpi_err_spawn = 50;  // Of Open MPI.
  const std::string wanted = count + (count == "1" ? " process of " : " processes of ") + program;
  return {rank, mpi_err_spawn, wanted + (programs == Programs::several ? " and others" : ""), base::now_ns(),
          protocol::EndingCall::spawn};
}

/// Serves one protocol (PMIx or PMI-1) through which the MPI programs of this node learn their rank, world
/// size and peers without mpirun. The servers of different nodes exchange data through the launcher, as
/// messages. Passive, for the agent's thread; nothing in it blocks.
class MpiServer {
 public:
  /// What a rank is started with.
  struct RankStart {
    std::vector<std::string> environment;  ///< "NAME=VALUE"
    base::FileDescriptor socket;           ///< Its process inherits it; close ours after the fork. -1: none.
  };

  MpiServer() = default;
  MpiServer(const MpiServer&) = delete;
  MpiServer& operator=(const MpiServer&) = delete;
  virtual ~MpiServer() = default;

  /// Call for each rank, before each fork; `restarts`: how often it is started again, with this time. Returns
  /// nothing for a rank that is not in the node map, and from PMIx for one that is started again. Throws
  /// agent::Error.
  virtual RankStart admit(std::uint32_t rank, std::uint32_t restarts) = 0;

  /// Registers what to wait for with `poll`. Call `collect` in each iteration after that.
  virtual void watch(Poll& poll) = 0;

  /// Reads what an ended rank wrote before it ended.
  virtual void hear_out(std::uint32_t /*rank*/) {}

  /// The messages for the launcher that result from the ranks' requests: Joined, Fence, ModexRequest,
  /// ModexReply, NameRequest, Abort, StaysOn, ListensAt, LostPeer, Finalized.
  virtual std::vector<protocol::Message> collect() = 0;

  /// Whether the rank has connected, and whether it has finalized since, as of the last `collect`.
  virtual bool has_connected(std::uint32_t rank) const = 0;
  virtual bool has_finalized(std::uint32_t rank) const = 0;

  /// Takes a message of the launcher, if it is for this server: FenceDone and NameReply of its services,
  /// Members (only PMI knows of ranks that stay on), ModexRequest and ModexReply (only PMIx has requests for
  /// the data of a single rank).
  virtual void take(const protocol::Message& message) = 0;
};

/// All MPI servers of a job on this node; there may be none. A rank may use any MPI, so it is offered every
/// server.
class MpiServers {
 public:
  void add(std::unique_ptr<MpiServer> server) { servers_.push_back(std::move(server)); }

  /// Removes all servers.
  void clear() { servers_.clear(); }

  /// As in MpiServer. Combines what all servers give a rank; at most one gives a socket.
  MpiServer::RankStart admit(std::uint32_t rank, std::uint32_t restarts);
  void watch(Poll& poll);
  void hear_out(std::uint32_t rank);
  std::vector<protocol::Message> collect();

  /// Sets `mpi_connected` and `mpi_finalized`. A rank that has connected to several servers has finalized
  /// once it has done so with each.
  void add_outcome(protocol::Exited& exited) const;

  /// Passes it to all servers; false if it is no message for any.
  bool take(const protocol::Message& message);

 private:
  std::vector<std::unique_ptr<MpiServer>> servers_;
};

}  // namespace adarun::launcher::agent
