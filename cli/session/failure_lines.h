// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/plan/plan.h"

namespace adarun::cli {

/// The failures of a job, one line each; nodes with the same failure share a line, "node[1-64]: the jump host
/// ...", at the position of the first of them.
std::vector<std::string> failure_lines(const launcher::Plan& plan,
                                       const std::vector<launcher::Failure>& failures);

}  // namespace adarun::cli
