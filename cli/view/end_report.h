// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/report.h"
#include "launcher/plan/plan.h"
#include "launcher/record/log_folder.h"

namespace adarun::cli {

/// The failures of a job, one line each; nodes with the same failure share a line, "node[1-64]: the jump host
/// ...", at the position of the first of them.
std::vector<std::string> failure_lines(const launcher::Plan& plan,
                                       const std::vector<launcher::Failure>& failures);

/// Lines such as "ranks 0-2,4-7 on node[1-2]: stopped by adarun" for all ranks except the one that failed
/// first; ranks that ended the same way share a line, those of different roles do not. Those without which
/// the job continued come first, then those that failed at about the same time, then those that failed later,
/// with the delay.
std::vector<std::string> rank_outcomes(const launcher::Plan& plan, const launcher::JobReport& report);

/// Lines for the user at the end of a job: none if it succeeded; else the first failure (rank, node, device,
/// status), the last 20 lines of that rank, how the other ranks ended (rank_outcomes()), and the log folder.
std::vector<std::string> end_report(const launcher::Plan& plan, const launcher::JobReport& report,
                                    const launcher::LogFolder& logs, const std::string& log_dir);

}  // namespace adarun::cli
