// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "launcher/agent/base/poll.h"
#include "launcher/agent/mpi/mpi_server.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// All MPI servers of a job on this node; there may be none. A rank may use any MPI, so it is offered every
/// server.
class MpiServers {
 public:
  void add(std::unique_ptr<MpiServer> server) { servers_.push_back(std::move(server)); }

  /// Removes all servers.
  void clear() { servers_.clear(); }

  /// As in MpiServer. Combines what all servers give a rank; at most one gives a socket.
  MpiServer::RankStart admit(std::uint32_t rank);
  MpiServer::RankStart admit_again(std::uint32_t rank);
  void watch(Poll& poll);
  void hear_out(std::uint32_t rank);
  std::vector<protocol::Message> collect();

  /// Sets `mpi_connected` and `mpi_finalized`. A rank that has connected to several servers has finalized
  /// once it has done so with each.
  void add_outcome(protocol::Exited& exited) const;

  /// Passes it to the server of that service.
  void finish_fence(const protocol::FenceDone& done);
  void take_names(const protocol::NameReply& reply);

  void change_members(const protocol::Members& members);
  void answer_request(const protocol::ModexRequest& request);
  void take_reply(const protocol::ModexReply& reply);

 private:
  using Admit = MpiServer::RankStart (MpiServer::*)(std::uint32_t rank);
  MpiServer::RankStart admit_by(Admit admit, std::uint32_t rank);

  std::vector<std::unique_ptr<MpiServer>> servers_;
};

}  // namespace adarun::launcher::agent
