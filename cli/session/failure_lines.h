// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/plan/plan.h"

namespace adarun::cli {

/// The failures of a job, a line each; nodes that failed alike share one, "node[1-64]: the jump host ...",
/// where the first of them stood.
std::vector<std::string> failure_lines(const launcher::Plan& plan,
                                       const std::vector<launcher::Failure>& failures);

}  // namespace adarun::cli
