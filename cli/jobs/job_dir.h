// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/record/supervisor.h"

namespace adarun::cli {

/// What job.json says of a job, as far as logs and monitor need it.
struct JobFile {
  struct Rank {
    std::uint32_t rank = 0;
    std::string state;
    std::string node = {};
  };
  std::string id;
  std::string state;  ///< running, done, failed, interrupted; "lost" where it says running but its supervisor
                      ///< is gone.
  std::string log_dir;
  std::uint32_t world_size = 0;
  std::optional<int> status;
  std::vector<Rank> ranks;
  std::int64_t began_ns = 0;
  std::int64_t duration_ms = 0;  ///< Of one that has ended.
  std::vector<std::string> argv;
  std::vector<std::string> failures;
  launcher::Supervisor supervisor;
  std::vector<launcher::Host> hosts;  ///< One for each node, as far as they can be reached by it.

  bool running() const { return state == "running"; }
};

/// Where the logs of a job in the index lie now: the next job in the same folder has it renamed to
/// "<log_dir>.<id>".
std::filesystem::path log_dir_of(const JobFile& job);

/// The job.json in a folder; nothing where there is none. Throws std::runtime_error on one that is no JSON
/// object.
std::optional<JobFile> read_job(const std::filesystem::path& folder);

/// Where the logs lie that a user asked for.
struct LogPlaces {
  std::vector<std::filesystem::path> places;  ///< Files and folders that are there.
  std::string name;                           ///< As the user called them.

  /// The job.json beside the logs, where there is one job.
  std::optional<JobFile> job() const;
};

/// Each argument is a file or folder, or else the id of a job in the index; none means `log_output`. Throws
/// std::runtime_error, saying where it looked, on one that is neither.
LogPlaces find_logs(const std::vector<std::string>& arguments);

}  // namespace adarun::cli
