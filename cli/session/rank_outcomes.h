// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/job/report.h"
#include "launcher/plan/plan.h"

namespace adarun::cli {

/// What became of all ranks but the one that failed first, ranks that fared alike on one line:
/// "ranks 0-2,4-7 on node[1-2]: stopped by adarun". Those that failed about when it did come first, then
/// those that followed, with how much later.
std::vector<std::string> rank_outcomes(const launcher::Plan& plan, const launcher::JobReport& report);

}  // namespace adarun::cli
