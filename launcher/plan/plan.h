// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/hosts/hostfile.h"
#include "launcher/plan/job_options.h"
#include "ranktable/model/table.h"

namespace adarun::launcher {

/// A node of a job in whose place a spare has continued, while the job ran. It may have kept output that it
/// could not deliver.
struct ReplacedNode {
  std::uint32_t number = 0;  ///< Of the node in the job; now that of the spare.
  Host host;
  std::vector<std::uint32_t> ranks;  ///< That ran there.
};

/// One node's part: the host to connect to and the Start message for its agent.
struct NodePlan {
  Host host;
  protocol::Start start;
};

/// Everything a launch will do, decided before any connection is made; but nodes may be replaced later
/// (replace_node()).
struct Plan {
  std::string job_id;
  JobOptions options;
  ranktable::Table table;
  protocol::JobSpec job_spec;   ///< Sent to all agents; `nodes` do not repeat it.
  std::vector<NodePlan> nodes;  ///< In the order of the table's servers.
  std::vector<std::uint32_t> node_of_rank;
  std::vector<int> device_of_rank;
  StageList stage = {};                       ///< To be copied to every node before ranks start.
  std::vector<EarlierAttempt> earlier = {};   ///< The first one first.
  std::chrono::milliseconds timeout_used{0};  ///< By earlier attempts, and the waits between them.
  std::vector<ReplacedNode> replaced = {};    ///< By replace_node(), the first one first.

  std::size_t world_size() const { return node_of_rank.size(); }

  /// "job ID", or "job NAME (ID)", for messages.
  std::string title() const {
    return options.name.empty() ? "job " + job_id : "job " + options.name + " (" + job_id + ")";
  }

  /// The role of a rank; null: the job has none.
  const Role* role_of(std::uint32_t rank) const {
    return options.roles.empty() ? nullptr : &options.roles[job_spec.application_of_rank[rank]];
  }

  /// The table's text, as ranks read it.
  const std::string& rank_table() const { return job_spec.files.front().content; }
};

/// The hosts of a table without `--hosts`: each server_id is taken as the host's name, unless `map` gives
/// another.
std::vector<Host> hosts_of(const ranktable::Table& table, const HostMap& map);

/// The hosts of `table`'s servers, from a list that may have another order and further hosts: result[i] has
/// the name of servers[i], or the one that `map` gives it. Throws Error that names a server the list lacks,
/// or two servers that are the same host.
std::vector<Host> hosts_for(const ranktable::Table& table, const std::vector<Host>& list, const HostMap& map);

/// `map`, extended by each server of `table` that it lacks and whose server_id is the name of list[i] or one
/// of `addresses[i]`, or that name with or without a domain, of no other host: it maps to list[i].
HostMap with_addresses(HostMap map, const ranktable::Table& table, const std::vector<Host>& list,
                       const std::vector<std::vector<std::string>>& addresses);

/// Whether the list has each of `table`'s servers, by its server_id or by the name that `map` gives.
bool names_all(const std::vector<Host>& list, const ranktable::Table& table, const HostMap& map);

/// The plain table of a host list: server_id is the host's name.
ranktable::Table table_of(const std::vector<Host>& hosts);

/// Plans an attempt of a job. Pure: reads no file, clock or network. `table` must be valid
/// (ranktable::require_valid). `hosts[i]` is the host of `table.servers[i]` (see hosts_for), `addresses[i]`
/// its IPv4 or IPv6 address ("" if unknown; used for MASTER_ADDR and to choose a network for MPI). The
/// environment of each rank has the variables of HCCL and PyTorch, and adarun's own: see RankEnvironment.
/// Throws Error, also where the roles do not fit the table's ranks.
Plan make_plan(const ranktable::Table& table, const std::vector<Host>& hosts,
               const std::vector<std::string>& addresses, const JobOptions& options,
               const AttemptOptions& attempt);

/// Puts a spare in the place of a node that is lost while the job runs: `next` is the plan of the same job
/// with that spare. Other nodes keep what they were told. Throws Error if ranks are on other nodes in `next`.
void replace_node(Plan& plan, std::uint32_t node, Plan next);

}  // namespace adarun::launcher
