// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/launch_options.h"
#include "cli/options/placement.h"
#include "launcher/plan/plan.h"

namespace adarun::cli {

/// Which of a job's runs one is.
struct Restart {
  int number = 0;                 ///< 0: the first run.
  std::string first_job_id = {};  ///< The id of the first run; empty for that one.
};

/// What the launcher is asked for: `argv` as every rank, by the options of the command line, under a fresh
/// id, such as "20261121-104502-3fa9c1", with a fresh secret. Throws Quit, with the status for wrong usage,
/// for files that cannot be staged or variables that cannot be set.
launcher::JobOptions job_options(const LaunchOptions& options, const JobPlacement& placement,
                                 const std::vector<std::string>& argv, const Restart& restart);

/// The folder of --log-dir, absolute.
std::filesystem::path log_folder_of(const LaunchOptions& options);

}  // namespace adarun::cli
