// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "cli/arguments/placement.h"
#include "launcher/probe/checks.h"

namespace adarun::cli {

/// Checks of all nodes before a job: what it needs, and what differs. Asks all nodes at once; equal answers
/// are one. `program`: what the ranks run; empty: not known.
std::vector<launcher::FoldedCheck> check_nodes(const LaunchOptions& options,
                                               const launcher::Placement& placement,
                                               const std::string& program);

/// The address that a rank table gives to a node; empty: its server_id is a name.
std::string table_address(const LaunchOptions& options, const launcher::Placement& placement,
                          std::size_t node);

/// Checks the nodes and spares of a job as `adarun check` does, and names those on which something is wrong:
/// spares take their places, or they are left out. `program`: what the ranks run; empty: not known. Throws
/// ExitError with exit_could_not_start if too few are left.
launcher::Placement fit_nodes(const LaunchOptions& options, const launcher::Placement& placement,
                              const std::string& program);

}  // namespace adarun::cli
