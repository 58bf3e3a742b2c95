// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/job/report.h"
#include "launcher/plan/plan.h"

namespace adarun::cli {

/// Lines such as "ranks 0-2,4-7 on node[1-2]: stopped by adarun" for all ranks except the one that failed
/// first; ranks that ended the same way share a line, those of different roles do not. Those without which
/// the job went on come first, then those that failed at about the same time, then those that failed later,
/// with the delay.
std::vector<std::string> rank_outcomes(const launcher::Plan& plan, const launcher::JobReport& report);

}  // namespace adarun::cli
