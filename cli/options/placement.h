// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/launch_options.h"
#include "launcher/hosts/host.h"
#include "ranktable/model/table.h"

namespace adarun::cli {

/// Where a job's nodes are, and which ranks run on them.
struct JobPlacement {
  ranktable::Table table;
  std::string table_text;             ///< The user's table, byte for byte; empty: made from the hosts.
  std::vector<launcher::Host> hosts;  ///< Of the table's servers, in their order.
};

/// Reads table and hosts and applies the rules. Throws Quit: wrong usage, to which a file
/// that cannot be opened belongs, or a refused table.
JobPlacement place(const LaunchOptions& options);

}  // namespace adarun::cli
