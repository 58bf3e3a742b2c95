// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Whether a job goes on when a node is lost: with a spare in its place, or without it.
struct SpareOptions {
  std::string spares;                    ///< A list of hosts, or how many of the list are held back.
  std::optional<std::size_t> min_nodes;  ///< With fewer the job ends; none: all that it began with.
  bool exclude_unfit = false;            ///< Nodes that are unfit by `adarun check` count as lost.
  bool exclude_repeated = false;         ///< So do nodes whose ranks fail first twice.

  bool any() const { return !spares.empty() || min_nodes; }
};

/// Adds --spare, --min-nodes and --exclude-on.
void add_spares(CLI::App& command, SpareOptions& options);

/// The hosts of a job, and its spares.
struct HostsAndSpares {
  std::vector<launcher::Host> hosts;
  std::vector<launcher::Host> spares;
};

/// Holds back the spares that `spares` names: a number is that many of the last hosts; hosts of a list are
/// taken from `hosts`, or are further ones. Throws Quit with exit_usage, also if no host is left.
HostsAndSpares hold_back(std::vector<launcher::Host> hosts, const std::string& spares);

}  // namespace adarun::cli
