// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "launcher/plan/plan.h"
#include "launcher/transport/reach/reach.h"

namespace adarun::cli {

/// What a launch would do, as text for a POSIX shell: for each rank a line that can be copied to its node to
/// run it by hand; everything else is comments. `places` are those of the plan's nodes; port 0: this machine,
/// without SSH.
std::string plan_text(const launcher::Plan& plan, const std::vector<launcher::HostPlace>& places,
                      const LaunchOptions& options);

/// As JSON (docs/plan.schema.json).
std::string plan_json(const launcher::Plan& plan, const std::vector<launcher::HostPlace>& places,
                      const LaunchOptions& options);

}  // namespace adarun::cli
