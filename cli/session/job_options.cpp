// SPDX-License-Identifier: Apache-2.0
#include "cli/session/job_options.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <random>
#include <tuple>
#include <utility>

#include "base/random_digits.h"
#include "cli/options/command.h"
#include "cli/options/path_on_nodes.h"
#include "launcher/base/error.h"
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

launcher::StageList stage_list(const LaunchOptions& options) {
  try {
    return launcher::read_stage_list(options.stage);
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
}

// Of rank 0, and of all others.
std::pair<launcher::protocol::Stdin, launcher::protocol::Stdin> stdin_of_ranks(StdinReaders readers) {
  using launcher::protocol::Stdin;
  if (readers == StdinReaders::all) return {Stdin::passed_on, Stdin::passed_on};
  const Stdin first = readers == StdinReaders::first          ? Stdin::passed_on
                      : readers == StdinReaders::first_of_mpi ? Stdin::if_mpi
                                                              : Stdin::none;
  return {first, Stdin::none};
}

}  // namespace

launcher::JobOptions job_options(const LaunchOptions& options, const JobPlacement& placement,
                                 const std::vector<std::string>& argv,
                                 std::vector<launcher::EarlierAttempt> earlier) {
  launcher::JobOptions job;
  job.job_id = new_job_id();
  job.name = options.name;
  job.argv = argv;
  job.roles = options.roles;
  for (launcher::Role& role : job.roles)
    if (!role.workdir.empty()) role.workdir = path_on_nodes(role.workdir);
  job.rank_table = placement.table_text;
  if (placement.whole_table) job.table_variable = launcher::table_variable(*placement.whole_table);
  job.environment = user_environment(options);
  job.workdir = path_on_nodes(options.workdir);
  job.log_dir = log_folder_of(options);
  job.mpi = options.mpi;
  job.lease = options.lease;
  job.grace = options.grace;
  job.resumable = options.via != Via::local;
  job.stays = options.keeps_agents();
  job.restarts_ranks = options.rank_restarts > 0 || options.spares_join();
  job.earlier = std::move(earlier);
  job.most_restarts = options.restarts.most;
  job.process_limits = options.process_limits;
  std::tie(job.in_of_first, job.in_of_others) = stdin_of_ranks(options.stdin_readers);
  job.visible_devices = names_of(options.visible_devices);
  job.stage = stage_list(options);
  job.secret = base::random_digits();
  return job;
}

std::filesystem::path log_folder_of(const LaunchOptions& options) {
  const std::filesystem::path folder = std::filesystem::absolute(options.log_dir).lexically_normal();
  return folder.has_filename() ? folder : folder.parent_path();  // Without a slash at its end.
}

}  // namespace adarun::cli
