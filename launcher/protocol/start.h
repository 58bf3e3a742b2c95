// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/protocol/archive.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/process_limits.h"

// Messages that tell a node what to run: see messages.h for their place in a conversation.

namespace adarun::launcher::protocol {

/// One file that the agent writes into its scratch folder (mode 0600) before any rank starts.
struct ScratchFile {
  std::string name;  ///< A plain file name, no folder.
  std::string content;

  void fields(auto& archive) { archive(name, content); }
  bool operator==(const ScratchFile&) const = default;
};

/// Prefix of the path of the scratch folder of a job's agent on one node. The folder exists while the agent
/// runs.
inline std::string scratch_folder(const std::string& job_id, std::size_t node) {
  return "/tmp/adarun-" + job_id + "-" + std::to_string(node);
}

/// One process to start, without a shell.
struct RankSpec {
  std::uint32_t rank = 0;
  std::uint32_t local_rank = 0;
  std::vector<std::string> argv;         ///< argv[0] without '/' is looked up in PATH of the rank.
  std::vector<std::string> environment;  ///< "NAME=VALUE", overrides the agent's own environment.
  std::string workdir;                   ///< Empty: that of JobSpec, else where the agent was started.
  std::vector<std::string> defaults;     ///< "NAME=VALUE", set if the agent's own environment lacks it.
  std::uint32_t restarts = 0;            ///< How often it is started again, with this time, on any node.
  std::uint64_t output_offset = 0;       ///< Of its first Output here: how many bytes came from other nodes.
  Stdin in = Stdin::none;

  void fields(auto& archive) {
    archive(rank, local_rank, argv, environment, workdir, defaults, restarts, output_offset, in);
  }
  bool operator==(const RankSpec&) const = default;
};

/// One node of the job, as the MPI servers describe it to every rank.
struct NodeRanks {
  std::string hostname;  ///< The node's name in the job, unique in it.
  std::vector<std::uint32_t> ranks;

  void fields(auto& archive) { archive(hostname, ranks); }
  bool operator==(const NodeRanks&) const = default;
};

/// Which servers ranks get to find each other: PMIx for Open MPI, PMI for MPICH.
enum class Mpi : std::uint8_t {
  off,    ///< No server.
  auto_,  ///< PMI, and PMIx if it can be started.
  on,     ///< Both, or Failed.
};

/// launcher -> agent: what the Starts of all nodes have in common. Sent before them and identical for every
/// node, so that a launcher encodes it once for thousands. `complete` merges both.
struct JobSpec {
  std::vector<NodeRanks> nodes;
  std::vector<ScratchFile> files;
  std::vector<std::string> argv;                        ///< For ranks that have none of their own.
  std::string workdir;                                  ///< Likewise.
  std::vector<std::string> environment;                 ///< Overrides each rank's own.
  std::string mpi_secret = {};                          ///< As in Start.
  std::vector<std::uint32_t> application_of_rank = {};  ///< As in Start.

  void fields(auto& archive) {
    archive(nodes, files, argv, workdir, environment, mpi_secret, application_of_rank);
  }
  bool operator==(const JobSpec&) const = default;
};

/// launcher -> agent: everything one node has to do, except what JobSpec contains.
struct Start {
  std::string job_id;
  std::uint32_t node = 0;  ///< Index into `nodes`.
  std::vector<NodeRanks> nodes;
  std::uint32_t world_size = 0;
  std::vector<RankSpec> ranks;
  std::vector<ScratchFile> files;
  std::string scratch;     ///< Folder that the agent creates (0700) and removes at the end; holds its
                           ///< reconnect socket.
  std::string shm_folder;  ///< Likewise, under /dev/shm if the node has that; empty: none.
  Mpi mpi = Mpi::auto_;
  /// Silence of the launcher after which the agent ends everything.
  std::uint32_t lease_ms = in_ms(default_lease);
  std::uint32_t grace_ms = in_ms(default_grace);  ///< Grace period between TERM and KILL.
  std::vector<std::string> addresses;  ///< By which other nodes may reach this one, the likeliest first.
  ProcessLimits process_limits;
  bool resumable = false;       ///< The launcher may reconnect after the connection ends.
  std::string mpi_secret = {};  ///< 128 random bits as hexadecimal digits, the same on all nodes: a process
                                ///< that knows them can join the job through PMIx. Never write them to logs,
                                ///< files or arguments.
  /// The agent stays for a further Start once this one has ended. It kills everything, without a grace
  /// period, when nine tenths of the lease are over: afterwards the launcher may start the same ranks
  /// elsewhere.
  bool stays = false;
  /// Ranks that have ended may be started again (StartAgain): the agent stays until it is told to stop, even
  /// when all of them have ended.
  bool restarts_ranks = false;
  /// The number of the program that each rank of the job runs (MPI_APPNUM), by rank; empty: all run one.
  std::vector<std::uint32_t> application_of_rank = {};
  std::string published = {};  ///< On a spare that joins a running job: what its ranks have published by PMI,
                               ///< as in FenceDone.

  /// The number of the program that a rank runs.
  std::uint32_t application_of(std::uint32_t rank) const {
    return rank < application_of_rank.size() ? application_of_rank[rank] : 0;
  }

  void fields(auto& archive) {
    archive(job_id, node, nodes, world_size, ranks, files, scratch, shm_folder, mpi, lease_ms, grace_ms,
            addresses, process_limits, resumable, mpi_secret, stays, restarts_ranks, application_of_rank,
            published);
  }
  bool operator==(const Start&) const = default;
};

/// The whole Start of one node: `start` merged with `spec`, which holds what all nodes have in common. A node
/// map, secret, program, numbers of programs or folder in `start` takes precedence; files and environment are
/// concatenated, the common ones last.
Start complete(Start start, const JobSpec& spec);

/// The same for one rank.
RankSpec complete(RankSpec part, const JobSpec& spec);

}  // namespace adarun::launcher::protocol
