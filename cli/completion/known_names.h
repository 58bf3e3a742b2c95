// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/completion/completion.h"

namespace adarun::cli {

/// Hosts of a --hosts option typed before, then hosts named in the SSH configuration (that of --ssh-config,
/// else the user's). Here and below, what cannot be read is left out.
std::vector<Completion::Candidate> known_hosts(const TypedWords& typed);

/// Jobs, newest first; for `stop` and `resize` only those that run on this machine, also between two
/// attempts, and for `attach` of these the detached ones.
std::vector<Completion::Candidate> known_jobs(const TypedWords& typed);

/// The ranks of the table, hosts or job typed before, else of the job in ./log_output.
std::vector<Completion::Candidate> known_ranks(const TypedWords& typed);

}  // namespace adarun::cli
