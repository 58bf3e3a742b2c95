// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/plan/job_options.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// How many ranks to start, where a list of hosts has more or says nothing of it.
struct RankCounts {
  std::optional<int> ranks = std::nullopt;  ///< In all: the first ones of the list.
  std::optional<int> ranks_per_node = std::nullopt;
  std::optional<launcher::DeviceKind> kind_per_node = std::nullopt;  ///< As many as a node has of these.
  std::optional<int> nodes = std::nullopt;                           ///< The first ones of the list.

  bool any() const { return ranks || ranks_per_node || kind_per_node || nodes; }
};

/// Adds -n, --nproc-per-node and --nnodes.
void add_rank_counts(CLI::App& command, RankCounts& counts);

/// The hosts of a list that are used. Throws ExitError with exit_usage if the list has fewer.
std::vector<launcher::Host> take_nodes(std::vector<launcher::Host> hosts, const RankCounts& counts);

/// Leaves the devices of hosts to them, if `counts` does so. Throws ExitError with exit_usage for a host
/// whose devices are known.
void leave_devices_to(std::vector<launcher::Host>& hosts, const RankCounts& counts);

/// The devices of `hosts` that are used, and the hosts that have any of these. A host without a count in the
/// list has as many devices as `counts.ranks_per_node` says. Throws ExitError with exit_usage if the list has
/// fewer.
std::vector<launcher::Host> take_ranks(std::vector<launcher::Host> hosts, const RankCounts& counts);

/// What spares take of `counts`: as many devices on each node. A spare without a count keeps none of its own.
/// Throws ExitError with exit_usage if the list has fewer.
std::vector<launcher::Host> take_ranks_of_spares(std::vector<launcher::Host> spares,
                                                 const RankCounts& counts);

/// The list that stands for this machine where no host is named: as many devices as there are ranks.
std::string list_of_this_machine(const RankCounts& counts);

/// Adds --spare, --min-nodes and --exclude-on.
void add_spares(CLI::App& command, launcher::SpareOptions& options);

/// The hosts of a job, and its spares.
struct HostsAndSpares {
  std::vector<launcher::Host> hosts;
  std::vector<launcher::Host> spares;
};

/// Holds back the spares that `spares` names: a number is that many of the last hosts; hosts of a list are
/// taken from `hosts`, or are further ones. Throws ExitError with exit_usage, also if no host is left.
HostsAndSpares hold_back(std::vector<launcher::Host> hosts, const std::string& spares);

}  // namespace adarun::cli
