// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/commands/ranktable/checked_table.h"
#include "cli/options/node_options.h"
#include "launcher/probe/card_sources.h"

namespace adarun::cli {

/// The nodes that a table is held against.
struct HostsCheck {
  NodeOptions nodes;
  std::string path;  ///< Where they have the table; empty: where it is here.
  launcher::CardSources sources;

  bool wanted() const { return !nodes.hosts.empty(); }
};

/// Adds --hosts and what belongs to it.
void add_hosts_check(CLI::App& command, HostsCheck& check);

/// Whether every node could be asked.
enum class Reach { all_nodes, not_all };

/// Adds what is wrong on the nodes to the findings of a table that was read; nodes of which the same is to be
/// said are named together. Text that is no table is not taken to the nodes. Throws Quit for a table of
/// another schema than 1.0 and 1.2.
Reach check_on_hosts(CheckedTable& checked, const HostsCheck& check);

}  // namespace adarun::cli
