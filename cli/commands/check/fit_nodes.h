// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/arguments/launch_options.h"
#include "cli/arguments/placement.h"

namespace adarun::cli {

/// Checks the nodes and spares of a job as `adarun check` does, and names those on which something is wrong:
/// spares take their places, or they are left out. `program`: what the ranks run; empty: not known. Throws
/// Quit with exit_could_not_start if too few are left.
launcher::Placement fit_nodes(const LaunchOptions& options, const launcher::Placement& placement,
                              const std::string& program);

}  // namespace adarun::cli
