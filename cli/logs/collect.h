// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/logs/logs_options.h"
#include "launcher/fetch/recovered_output.h"
#include "launcher/hosts/host.h"

namespace adarun::cli {

struct JobFile;

/// `adarun logs --hosts LIST --path GLOB --collect DIR`: fetches files of all hosts to DIR/<host>/<path>, and
/// prints how many. Returns the exit status. Throws ExitError and launcher::Error.
int collect_files(const std::vector<launcher::Host>& hosts, const LogsOptions& options);

/// `adarun logs JOB --collect`: fetches the output that the agents of a job could not deliver because the
/// supervisor, or the connection to it, was gone for longer than the lease; prints how much that was. `job`:
/// as for find_job; nodes that spares have replaced are asked, too. If it is a folder, the logs in that
/// folder are completed. Returns the exit status: 0 done, 3 if a node could not be reached or queried. Throws
/// ExitError.
int collect_kept(const std::string& job, const NodeOptions& options);

/// The nodes that are asked for it: those that the job has, then those that spares have replaced.
std::vector<launcher::AskedNode> asked_nodes(const JobFile& job);

}  // namespace adarun::cli
