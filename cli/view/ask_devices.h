// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/arguments/launch_options.h"
#include "launcher/hosts/host.h"

namespace adarun::cli {

/// Asks hosts for the devices that their list leaves to them (`asked_kind`), over connections of their own
/// that end before the job begins, and sets them. Throws Quit: with exit_usage for a dry run, unless all
/// ranks run on this machine; with exit_could_not_start if a host does not answer or has none.
void ask_devices(std::vector<launcher::Host>& hosts, const LaunchOptions& options);

}  // namespace adarun::cli
