// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/node_options.h"
#include "launcher/hosts/host.h"

namespace adarun::cli {

/// `adarun logs --hosts LIST --path GLOB --collect DIR`: brings files of all hosts to DIR/<host>/<path>, and
/// says how many there are. Gives the exit status. Throws Quit and launcher::Error.
int collect_files(const std::vector<launcher::Host>& hosts, const NodeOptions& options,
                  const std::vector<std::string>& patterns, const std::string& folder);

}  // namespace adarun::cli
