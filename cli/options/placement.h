// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/launch_options.h"
#include "launcher/hosts/host.h"
#include "ranktable/model/table.h"

namespace adarun::cli {

/// A job's nodes, and which ranks run on them.
struct JobPlacement {
  ranktable::Table table;
  std::string table_text;  ///< The user's table, byte for byte; empty: the table was made from the hosts.
  std::vector<launcher::Host> hosts;  ///< One per server of the table, in its order.
};

/// Reads and checks table and hosts. Throws Quit for wrong usage, which includes a file that cannot be
/// opened, or for a refused table.
JobPlacement place(const LaunchOptions& options);

}  // namespace adarun::cli
