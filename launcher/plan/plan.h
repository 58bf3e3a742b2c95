// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/hosts/map.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/messages.h"
#include "launcher/stage/stage_list.h"
#include "ranktable/model/table.h"

namespace adarun::launcher {

/// What the user asks of every rank of a job.
struct JobOptions {
  std::string job_id;                    ///< Unique; part of folder names: letters, digits, '-'.
  std::string first_job_id = {};         ///< Where it is run again: of its first run; empty: this is it.
  std::vector<std::string> argv;         ///< Program and arguments; never empty.
  std::vector<std::string> environment;  ///< "NAME=VALUE", laid over everything adarun sets.
  std::string rank_table;                ///< Text, as ranks read it; empty: of the table that is planned.
  std::string workdir;                   ///< On every node; empty: where the agent starts (home).
  std::string log_dir;                   ///< Absolute, on the launcher's machine.
  protocol::Mpi mpi = protocol::Mpi::auto_;
  std::chrono::milliseconds lease = default_lease;
  std::chrono::milliseconds grace = default_grace;
  bool resumable = false;  ///< Agents may be met again over another connection.
  int restart = 0;         ///< How often this job has been run before.
  protocol::ProcessLimits process_limits;
  StageList stage = {};
  std::string secret = {};  ///< 128 random bits in hexadecimal: what others are not to guess is made of it.
};

/// One node's part: where to connect and what its agent is told.
struct NodePlan {
  Host host;
  protocol::Start start;
};

/// Everything a launch will do, decided before anything is connected.
struct Plan {
  std::string job_id;
  ranktable::Table table;
  protocol::JobSpec job_spec;   ///< What all agents are told; `nodes` leave it out.
  std::vector<NodePlan> nodes;  ///< In the order of the table's servers.
  std::vector<std::uint32_t> node_of_rank;
  std::vector<int> device_of_rank;
  StageList stage = {};      ///< To be on every node before ranks start.
  std::string workdir = {};  ///< Below which it goes; empty: where agents start.

  std::size_t world_size() const { return node_of_rank.size(); }

  /// The table's text, as ranks read it.
  const std::string& rank_table() const { return job_spec.files.front().content; }
};

/// The hosts of a table without `--hosts`: each server_id is taken as the host's name, unless `map` has
/// another.
std::vector<Host> hosts_of(const ranktable::Table& table, const HostMap& map);

/// The hosts of `table`'s servers out of a list that may hold them in another order, and others besides:
/// result[i] is named as servers[i] is, or as `map` has it. Throws Error naming a server that the list lacks.
std::vector<Host> hosts_for(const ranktable::Table& table, const std::vector<Host>& list, const HostMap& map);

/// `map`, and beside it each server of `table` that neither it nor the list names, and whose server_id is one
/// of `addresses[i]`, of list[i].
HostMap with_addresses(HostMap map, const ranktable::Table& table, const std::vector<Host>& list,
                       const std::vector<std::vector<std::string>>& addresses);

/// Whether the list has each of `table`'s servers, named as it is or as `map` has it.
bool names_all(const std::vector<Host>& list, const ranktable::Table& table, const HostMap& map);

/// The plain table of a host list: server_id is the host's name.
ranktable::Table table_of(const std::vector<Host>& hosts);

/// Lays out a job. Pure: reads no file, clock or network. `table` must be valid (ranktable::require_valid).
/// `hosts[i]` is the host of `table.servers[i]` (see hosts_for), `addresses[i]` its IPv4 or IPv6 address (""
/// where it is not known; used to choose a network for MPI).
/// The environment of each rank is the one that design and reference launchers agree on: HCCL's, PyTorch's,
/// and adarun's own names. Throws Error.
Plan make_plan(const ranktable::Table& table, const std::vector<Host>& hosts,
               const std::vector<std::string>& addresses, const JobOptions& options);

}  // namespace adarun::launcher
