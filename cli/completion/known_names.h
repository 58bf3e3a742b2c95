// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/completion/completion.h"

namespace adarun::cli {

/// Hosts that have names in the SSH configuration (that of --ssh-config, else the user's), behind those of
/// --hosts where that stands before. What cannot be read gives none, as below.
std::vector<Completion::Candidate> known_hosts(const TypedWords& typed);

/// Jobs, the newest first; for `attach` and `stop` those that run.
std::vector<Completion::Candidate> known_jobs(const TypedWords& typed);

/// The ranks of the table, the hosts or the job that stand before, else of the job in ./log_output.
std::vector<Completion::Candidate> known_ranks(const TypedWords& typed);

}  // namespace adarun::cli
