// SPDX-License-Identifier: Apache-2.0
#include "cli/view/job_options.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>
#include <utility>

#include "base/random_digits.h"
#include "cli/arguments/command.h"
#include "cli/arguments/node_options.h"
#include "launcher/plan/rank_environment.h"

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

std::filesystem::path absolute_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal();
  return folder.has_filename() ? folder : folder.parent_path();  // Without a slash at its end.
}

}  // namespace

LaunchOptions job_options(LaunchOptions options, const std::vector<std::string>& argv) {
  options.argv = argv;
  options.environment = user_environment(options);
  options.environment_file.clear();
  options.workdir = path_on_nodes(options.workdir);
  for (launcher::Role& role : options.roles)
    if (!role.workdir.empty()) role.workdir = path_on_nodes(role.workdir);
  options.log_folder = absolute_folder(options.log_dir);
  options.resumable = !options.reach->is_local();
  return options;
}

launcher::AttemptOptions attempt_options(const LaunchOptions& options, const launcher::Placement& placement,
                                         std::vector<launcher::EarlierAttempt> earlier) {
  launcher::AttemptOptions attempt;
  attempt.job_id = new_job_id();
  attempt.secret = base::random_digits();
  attempt.rank_table = placement.table_text;
  if (placement.whole_table) attempt.table_variable = launcher::table_variable(*placement.whole_table);
  attempt.stage = or_exit(exit_usage, [&] { return launcher::read_stage_list(options.stage); });
  attempt.earlier = std::move(earlier);
  return attempt;
}

}  // namespace adarun::cli
