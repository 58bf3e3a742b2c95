// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "launcher/hosts/host.h"
#include "launcher/plan/placement.h"

namespace adarun::cli {

/// Sets the devices of hosts that a list leaves to them (`asked_kind`). Throws ExitError.
using AskDevices = std::function<void(std::vector<launcher::Host>&)>;

/// Reads and checks table and hosts. Throws ExitError for wrong usage, which includes a file that cannot be
/// opened, or for a refused table. Hosts whose devices are theirs to say are given to `ask`, all at once;
/// without it they are refused.
launcher::Placement place(const LaunchOptions& options, const AskDevices& ask = {});

/// Throws ExitError if AdaSum does not take `world` ranks: place() does so with --adasum. `remedy` ends the
/// message.
void require_adasum_world(const LaunchOptions& options, std::size_t world,
                          const std::string& remedy = "to run all the same, leave --adasum out");

}  // namespace adarun::cli
