// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/mpi_server.h"

#include <algorithm>
#include <iterator>

namespace adarun::launcher::agent {

MpiServer::RankStart MpiServers::admit(std::uint32_t rank, std::uint32_t restarts) {
  MpiServer::RankStart all;
  for (const auto& server : servers_) {
    MpiServer::RankStart one = server->admit(rank, restarts);
    std::move(one.environment.begin(), one.environment.end(), std::back_inserter(all.environment));
    if (one.socket) all.socket = std::move(one.socket);
  }
  return all;
}

void MpiServers::watch(Poll& poll) {
  for (const auto& server : servers_) server->watch(poll);
}

void MpiServers::hear_out(std::uint32_t rank) {
  for (const auto& server : servers_) server->hear_out(rank);
}

std::vector<protocol::Message> MpiServers::collect() {
  std::vector<protocol::Message> all;
  for (const auto& server : servers_) {
    std::vector<protocol::Message> one = server->collect();
    std::move(one.begin(), one.end(), std::back_inserter(all));
  }
  return all;
}

void MpiServers::add_outcome(protocol::Exited& exited) const {
  const auto connected = [&exited](const auto& server) { return server->has_connected(exited.rank); };
  const auto unfinished = [&](const auto& server) {
    return connected(server) && !server->has_finalized(exited.rank);
  };
  exited.mpi_connected = std::any_of(servers_.begin(), servers_.end(), connected);
  exited.mpi_finalized = exited.mpi_connected && std::none_of(servers_.begin(), servers_.end(), unfinished);
}

bool MpiServers::take(const protocol::Message& message) {
  for (const auto& server : servers_) server->take(message);
  return protocol::is_any_of<protocol::FenceDone, protocol::Members, protocol::ModexRequest,
                             protocol::ModexReply, protocol::NameReply>(message);
}

}  // namespace adarun::launcher::agent
