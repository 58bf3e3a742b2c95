// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/protocol/archive.h"

// Messages between the MPI servers of the nodes, forwarded by the launcher, and their reports about ranks:
// see messages.h for their place in a conversation.

namespace adarun::launcher::protocol {

/// What a message is about: one of a node's servers, or, of PMIx, the ranks that connect to each other or end
/// that.
enum class Service : std::uint8_t { pmix, pmi, pmix_connect, pmix_disconnect };

/// agent -> launcher: a rank has connected to its MPI server, in MPI_Init.
struct Joined {
  std::uint32_t rank = 0;

  void fields(auto& archive) { archive(rank); }
  bool operator==(const Joined&) const = default;
};

/// What a rank called that ends the job.
enum class EndingCall : std::uint8_t { abort, spawn };

/// agent -> launcher: a rank called MPI_Abort, or MPI_Comm_spawn.
struct Abort {
  std::uint32_t rank = 0;
  std::int32_t status = 0;
  std::string message;  ///< Of MPI_Abort, or which processes it wants: "2 processes of ./worker".
  std::int64_t time_ns = 0;
  EndingCall call = EndingCall::abort;

  void fields(auto& archive) { archive(rank, status, brief(message), instant(time_ns), call); }
  bool operator==(const Abort&) const = default;
};

/// agent -> launcher: a rank can continue without others that end, and waits for Members then.
struct StaysOn {
  std::uint32_t rank = 0;

  void fields(auto& archive) { archive(rank); }
  bool operator==(const StaysOn&) const = default;
};

/// agent -> launcher: where a rank that stays on, or is about to say so, listens for the others.
struct ListensAt {
  std::uint32_t rank = 0;
  std::string endpoint;  ///< "HOST:PORT", as others reach it.

  void fields(auto& archive) { archive(rank, brief(endpoint)); }
  bool operator==(const ListensAt&) const = default;
};

/// launcher -> agent: start a rank of this node again that has ended.
struct StartAgain {
  std::uint32_t rank = 0;
  std::uint32_t restarts = 0;  ///< How often it is started again, with this time.

  void fields(auto& archive) { archive(rank, restarts); }
  bool operator==(const StartAgain&) const = default;
};

/// agent -> launcher: a rank that stays on has lost its connection to another one, of this generation.
struct LostPeer {
  std::uint32_t rank = 0;
  std::uint64_t generation = 0;

  void fields(auto& archive) { archive(rank, generation); }
  bool operator==(const LostPeer&) const = default;
};

/// agent -> launcher: a rank that stays on needs no others any more, and is none of the members.
struct Finalized {
  std::uint32_t rank = 0;

  void fields(auto& archive) { archive(rank); }
  bool operator==(const Finalized&) const = default;
};

/// launcher -> agent: the ranks of a running job that continue, for those that stay on: some have ended, were
/// started again, or have lost their connections to others.
struct Members {
  std::uint64_t generation = 0;  ///< Of the members; 1: all ranks, once each stays on.
  std::vector<std::uint32_t> ranks;
  std::uint32_t root = 0;  ///< The one that has been a member for longest, where the others meet,
  std::string at = {};     ///< which listens there.

  void fields(auto& archive) { archive(generation, ranks, root, brief(at)); }
  bool operator==(const Members&) const = default;
};

/// agent -> launcher: this node's part of a PMIx fence or a PMI barrier; the latter covers the whole job, and
/// its data are lines of KEY=VALUE. The services are independent. Those of connections have no data.
struct Fence {
  std::vector<std::uint32_t> participants;  ///< Ranks; empty: the whole job.
  std::string data;
  Service service = Service::pmix;

  void fields(auto& archive) { archive(participants, data, service); }
  bool operator==(const Fence&) const = default;
};

/// launcher -> agent: the data of all nodes in a fence, in one buffer that is the same on every node.
struct FenceDone {
  std::vector<std::uint32_t> participants;
  std::string data;
  Service service = Service::pmix;

  void fields(auto& archive) { archive(participants, data, service); }
  bool operator==(const FenceDone&) const = default;
};

/// both ways: a rank asks for what another rank published; the launcher forwards it to the agent of `rank`.
struct ModexRequest {
  std::uint32_t asking_node = 0;
  std::uint64_t id = 0;  ///< Chosen by the asking agent.
  std::uint32_t rank = 0;

  void fields(auto& archive) { archive(asking_node, id, rank); }
  bool operator==(const ModexRequest&) const = default;
};

/// both ways: the answer to a ModexRequest.
struct ModexReply {
  std::uint32_t asking_node = 0;
  std::uint64_t id = 0;
  std::int32_t status = 0;  ///< A PMIx status.
  std::string data;

  void fields(auto& archive) { archive(asking_node, id, status, data); }
  bool operator==(const ModexReply&) const = default;
};

/// A value that a rank has published under a name (MPI_Publish_name, PMIx_Publish). The launcher knows
/// nothing of what is in it.
struct PublishedName {
  std::string name;
  std::string value;       ///< Empty in what asks for it.
  std::uint32_t rank = 0;  ///< That has published it.

  void fields(auto& archive) { archive(name, value, rank); }
  bool operator==(const PublishedName&) const = default;
};

enum class NameAction : std::uint8_t { publish, look_up, withdraw };

/// The most names in one NameRequest, and the most bytes of its names and values.
inline constexpr std::size_t most_requested_names = 32;
inline constexpr std::size_t most_requested_bytes = 1U << 20U;

/// agent -> launcher: a rank publishes values under names, looks names up, or withdraws them. Each service
/// has names of its own.
struct NameRequest {
  std::uint64_t id = 0;  ///< Chosen by the server that asks.
  Service service = Service::pmix;
  std::uint32_t rank = 0;
  NameAction action = NameAction::publish;
  std::vector<PublishedName> names = {};  ///< None of those to withdraw: all that the rank has published.
  bool once = false;                      ///< What is published is withdrawn when it has been looked up.
  std::uint32_t wait_s = 0;  ///< How long to wait for names that are not published; 0: not at all.

  void fields(auto& archive) { archive(id, service, rank, action, names, once, wait_s); }
  bool operator==(const NameRequest&) const = default;
};

enum class NameOutcome : std::uint8_t {
  done,
  unknown,    ///< Not all of the names are published.
  taken,      ///< Another rank has published one of the names.
  too_much,   ///< The limit of what may be published, or may wait.
  timed_out,  ///< Not all of the names were published within the wait.
};

/// launcher -> agent: the answer to a NameRequest.
struct NameReply {
  std::uint64_t id = 0;
  Service service = Service::pmix;
  NameOutcome outcome = NameOutcome::done;
  std::vector<PublishedName> names;  ///< Of those looked up, the ones that are published.

  void fields(auto& archive) { archive(id, service, outcome, names); }
  bool operator==(const NameReply&) const = default;
};

/// Whether the text is "HOST:PORT", or "[ADDRESS]:PORT" for IPv6, of at most 300 characters that may stand in
/// a line of PMI: where a rank listens for others.
bool is_endpoint(std::string_view text);

}  // namespace adarun::launcher::protocol
