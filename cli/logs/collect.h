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

/// `adarun logs JOB --collect`: brings home what the agents of a job could not deliver, when its supervisor
/// or the way to it was gone for longer than the lease, and says how much that was. `job`: as for find_job;
/// the logs of a folder that is named are added to where it lies. The exit status: 0 done, 3 where a node
/// could not be reached or asked. Throws Quit.
int collect_kept(const std::string& job, const NodeOptions& options);

}  // namespace adarun::cli
