// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/agent/base/poll.h"
#include "launcher/agent/mpi/mpi_server.h"
#include "launcher/agent/mpi/pmi/client.h"
#include "launcher/agent/mpi/pmi/key_values.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmi {

/// Serves PMI-1, through which MPICH ranks find each other, over a socket that each rank inherits. Needs no
/// library. Nodes exchange published data through the launcher, as fences.
///
/// Beyond PMI-1: a rank that has sent "cmd=adarun_stay_on" continues without others that end. Whenever some
/// do, or are started again, it gets "cmd=adarun_members generation=2 ranks=0-2,4-15 root=0 at=node1:4242",
/// also between a request and its answer. It gets one in the end, too, when it says
/// "cmd=adarun_lost_peer generation=2", which has no answer. "cmd=adarun_listen_at endpoint=node1:4242" says
/// where the others may meet when this rank is their root.
class PmiServer : public MpiServer {
 public:
  /// What all ranks together may publish, below the limit of a FenceDone. A node's share is proportional to
  /// its ranks, and most_exchanged_bytes at most.
  static constexpr std::size_t max_published_bytes = 48U << 20U;

  explicit PmiServer(protocol::Start start);

  RankStart admit(std::uint32_t rank, std::uint32_t restarts) override;
  void watch(Poll& poll) override;
  void hear_out(std::uint32_t rank) override;
  std::vector<protocol::Message> collect() override { return std::exchange(messages_, {}); }
  bool has_connected(std::uint32_t rank) const override;
  bool has_finalized(std::uint32_t rank) const override;
  void take(const protocol::Message& message) override;

 private:
  using Answer = void (PmiServer::*)(Client& client, const Command& command);
  static Answer answer_to(std::string_view name);

  void finish_fence(const protocol::FenceDone& done);
  void change_members(const protocol::Members& members);
  void take_names(const protocol::NameReply& reply);

  bool serve(Client& client);
  void obey(Client& client, const Command& command);

  void init(Client& client, const Command& command);
  std::optional<Command> facts(std::string_view asked, std::uint32_t rank) const;
  void put(Client& client, const Command& command);
  void find(Client& client, const Command& command);
  void enter_barrier(Client& client, const Command& command);
  void stay_on(Client& client, const Command& command);
  void listen_at(Client& client, const Command& command);
  void lose_peer(Client& client, const Command& command);
  void finalize(Client& client, const Command& command);
  void abort(Client& client, const Command& command);
  void spawn(Client& client, const Command& command);
  void publish_name(Client& client, const Command& command);
  void look_up_name(Client& client, const Command& command);
  void withdraw_name(Client& client, const Command& command);
  void request_name(Client& client, const std::string& answer, protocol::NameRequest request);

  protocol::Start start_;
  std::string name_;     ///< Name of the key-value space.
  std::string mapping_;  ///< PMI_process_mapping; empty: too long for a value.
  KeyValues published_;
  std::map<std::uint32_t, Client> clients_;  ///< By rank.
  std::set<std::uint32_t> waiting_;          ///< Ranks in a barrier that is not yet complete on this node.
  std::uint64_t next_name_request_ = 0;
  std::uint64_t generation_ = 0;  ///< Of the members that ranks were told last.
  std::vector<protocol::Message> messages_;
};

}  // namespace adarun::launcher::agent::pmi
