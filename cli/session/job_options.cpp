// SPDX-License-Identifier: Apache-2.0
#include "cli/session/job_options.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <random>

#include "base/random_digits.h"
#include "cli/options/command.h"
#include "cli/options/path_on_nodes.h"
#include "launcher/base/error.h"

namespace adarun::cli {
namespace {

std::string new_job_id() {
  std::array<char, 32> stamp{};
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S", &local);
  std::array<char, 8> tail{};  // "-", six digits: jobs may share an index and start in the same second
  std::snprintf(tail.data(), tail.size(), "-%06x", std::random_device()() & 0xffffffU);
  return std::string(stamp.data()) + tail.data();
}

launcher::StageList stage_list(const LaunchOptions& options) {
  try {
    return launcher::read_stage_list(options.stage);
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
}

}  // namespace

launcher::JobOptions job_options(const LaunchOptions& options, const JobPlacement& placement,
                                 const std::vector<std::string>& argv, const Restart& restart) {
  launcher::JobOptions job;
  job.job_id = new_job_id();
  job.argv = argv;
  job.rank_table = placement.table_text;
  job.environment = user_environment(options);
  job.workdir = path_on_nodes(options.workdir);
  job.log_dir = log_folder_of(options);
  job.mpi = options.mpi;
  job.lease = options.lease;
  job.grace = options.grace;
  job.resumable = options.via != Via::local;
  job.restart = restart.number;
  job.first_job_id = restart.first_job_id;
  job.process_limits = options.process_limits;
  job.stage = stage_list(options);
  job.secret = base::random_digits();
  return job;
}

std::filesystem::path log_folder_of(const LaunchOptions& options) {
  return std::filesystem::absolute(options.log_dir).lexically_normal();
}

}  // namespace adarun::cli
