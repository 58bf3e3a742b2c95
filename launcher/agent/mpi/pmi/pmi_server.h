// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/mpi/pmi/client.h"
#include "launcher/agent/mpi/pmi/key_values.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmi {

/// Serves PMI-1 to the ranks of this node, each by a socket that it inherits: an MPICH program finds its
/// rank, its world and its peers by it, with no mpiexec. Needs no library. What the nodes publish for one
/// another goes through the launcher, as fences. Passive, for the agent's thread.
class PmiServer {
 public:
  /// What all ranks together may publish; a node has its ranks' share. Below the limit of a frame.
  static constexpr std::size_t max_published_bytes = 48U << 20U;

  explicit PmiServer(protocol::Start start);

  /// What a rank is started with.
  struct RankStart {
    std::vector<std::string> environment;  ///< "NAME=VALUE"
    base::FileDescriptor socket;           ///< Which its process inherits; to be closed here then.
  };

  /// Nothing for a process that is not in the node map. Throws agent::Error where the system gives no socket.
  RankStart admit(std::uint32_t rank);

  void watch(Poll& poll);

  /// Takes in what a rank that has ended wrote before.
  void hear_out(std::uint32_t rank);

  /// What the ranks' requests have for the launcher: Joined, Fence, Abort.
  std::vector<protocol::Message> collect() { return std::exchange(messages_, {}); }

  /// Whether the rank has connected, and whether it has finalized since.
  bool has_connected(std::uint32_t rank) const;
  bool has_finalized(std::uint32_t rank) const;

  /// All nodes have come to the barrier.
  void finish_fence(const protocol::FenceDone& done);

 private:
  using Answer = void (PmiServer::*)(Client& client, const Command& command);
  static Answer answer_to(std::string_view name);

  bool serve(Client& client);
  void obey(Client& client, const Command& command);

  void init(Client& client, const Command& command);
  void tell_limits(Client& client, const Command& command);
  void tell_application(Client& client, const Command& command);
  void tell_name(Client& client, const Command& command);
  void tell_size(Client& client, const Command& command);
  void put(Client& client, const Command& command);
  void find(Client& client, const Command& command);
  void enter_barrier(Client& client, const Command& command);
  void finalize(Client& client, const Command& command);
  void abort(Client& client, const Command& command);
  void spawn(Client& client, const Command& command);

  protocol::Start start_;
  std::string name_;     ///< Of the key-value space.
  std::string mapping_;  ///< Empty: too long for a value.
  KeyValues published_;
  std::map<std::uint32_t, Client> clients_;  ///< By rank.
  std::set<std::uint32_t> waiting_;          ///< Ranks in the barrier that is not complete on this node.
  std::vector<protocol::Message> messages_;
};

}  // namespace adarun::launcher::agent::pmi
