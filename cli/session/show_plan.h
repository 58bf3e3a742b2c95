// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/launch_options.h"
#include "launcher/plan/plan.h"
#include "launcher/transport/connect.h"

namespace adarun::cli {

/// What a launch would do: the plan, where each of its nodes is, the agent's path there, and what the user
/// asked for besides.
struct PlannedLaunch {
  const launcher::Plan& plan;
  const std::vector<launcher::SshPlace>& places;  ///< Of the plan's nodes; port 0: this machine, without SSH.
  std::string agent;
  std::string log_dir;  ///< Absolute.
  const LaunchOptions& options;
};

/// As text that a POSIX shell reads: a line for each rank that runs it by hand where it is copied to, all
/// else as comments.
std::string plan_text(const PlannedLaunch& planned);

/// As JSON (docs/plan.schema.json).
std::string plan_json(const PlannedLaunch& planned);

}  // namespace adarun::cli
