// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/launch_options.h"
#include "cli/options/placement.h"
#include "launcher/plan/plan.h"

namespace adarun::cli {

/// The launcher's options for running `argv` as every rank: from the command line, with a new job id such as
/// "20261121-104502-3fa9c1" and a new secret. Throws Quit with exit_usage for files that cannot be staged or
/// variables that cannot be set.
launcher::JobOptions job_options(const LaunchOptions& options, const JobPlacement& placement,
                                 const std::vector<std::string>& argv,
                                 std::vector<launcher::EarlierAttempt> earlier);

/// The folder of --log-dir, as an absolute path.
std::filesystem::path log_folder_of(const LaunchOptions& options);

}  // namespace adarun::cli
