// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/plan/job_options.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Adds --spare, --min-nodes and --exclude-on.
void add_spares(CLI::App& command, launcher::SpareOptions& options);

/// The hosts of a job, and its spares.
struct HostsAndSpares {
  std::vector<launcher::Host> hosts;
  std::vector<launcher::Host> spares;
};

/// Holds back the spares that `spares` names: a number is that many of the last hosts; hosts of a list are
/// taken from `hosts`, or are further ones. Throws Quit with exit_usage, also if no host is left.
HostsAndSpares hold_back(std::vector<launcher::Host> hosts, const std::string& spares);

}  // namespace adarun::cli
