// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/job/report.h"
#include "launcher/record/log_folder.h"

namespace adarun::cli {

/// What the user reads when a job is over: nothing where it is well; else the first failure (rank, node,
/// device, status), the last 20 lines of that rank, what became of the others (rank_outcomes.h), and where
/// the logs are.
std::vector<std::string> end_report(const launcher::Plan& plan, const launcher::JobReport& report,
                                    const launcher::LogFolder& logs, const std::string& log_dir);

}  // namespace adarun::cli
