// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/job/report.h"
#include "launcher/record/log_folder.h"

namespace adarun::cli {

/// Lines for the user at the end of a job: none if it succeeded; else the first failure (rank, node, device,
/// status), the last 20 lines of that rank, how the other ranks ended (rank_outcomes.h), and the log folder.
std::vector<std::string> end_report(const launcher::Plan& plan, const launcher::JobReport& report,
                                    const launcher::LogFolder& logs, const std::string& log_dir);

}  // namespace adarun::cli
