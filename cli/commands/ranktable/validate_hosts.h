// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/arguments/node_options.h"
#include "cli/commands/ranktable/checked_table.h"
#include "launcher/probe/card_sources.h"

namespace adarun::cli {

/// The nodes to check a table against.
struct HostsCheck {
  NodeOptions nodes;
  std::string path;  ///< Path of the table on the nodes; empty: the same as here.
  launcher::CardSources sources;

  bool wanted() const { return !nodes.hosts.empty(); }
};

/// Adds --hosts and its related options.
void add_hosts_check(CLI::App& command, HostsCheck& check);

/// Whether every node could be queried.
enum class Coverage { all_nodes, not_all };

/// Adds what is wrong on the nodes to the findings of a table that was read; nodes with the same finding
/// share one. If the text has no known schema, the nodes are not queried. Throws Quit for a table of another
/// schema than 1.0 and 1.2.
Coverage check_on_hosts(CheckedTable& checked, const HostsCheck& check);

}  // namespace adarun::cli
