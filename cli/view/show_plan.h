// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "launcher/plan/plan.h"
#include "launcher/transport/reach/reach.h"

namespace adarun::cli {

/// What a launch would do: the plan, the addresses of its nodes, the agent's path there, and the user's
/// options.
struct PlannedLaunch {
  const launcher::Plan& plan;
  const std::vector<launcher::HostPlace>&
      places;  ///< Of the plan's nodes; port 0: this machine, without SSH.
  std::string agent;
  std::string log_dir;  ///< Absolute.
  const LaunchOptions& options;
};

/// As text for a POSIX shell: for each rank a line that can be copied to its node to run it by hand;
/// everything else is comments.
std::string plan_text(const PlannedLaunch& planned);

/// As JSON (docs/plan.schema.json).
std::string plan_json(const PlannedLaunch& planned);

}  // namespace adarun::cli
