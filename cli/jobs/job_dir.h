// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/plan/job_options.h"
#include "launcher/plan/plan.h"
#include "launcher/record/job_index.h"

namespace adarun::cli {

/// The content of job.json that the commands need.
struct JobFile {
  struct Rank {
    std::uint32_t rank = 0;
    std::string state;
    std::string node = {};
    std::optional<int> device_id = {};
    pid_t pid = 0;          ///< On its node; 0 if it has not started.
    std::string role = {};  ///< Of --role; empty: none.
  };

  std::string id;     ///< Empty: there is none, or no plain one (launcher::is_plain_id()).
  std::string name;   ///< Of --name; may be empty.
  std::string state;  ///< running, done, failed, interrupted; "lost" if job.json says running but the
                      ///< supervisor is gone.
  std::string log_dir;
  std::uint32_t world_size = 0;
  std::optional<int> status;  ///< Of the job; of an attempt that another one followed, its own.
  std::vector<Rank> ranks;
  std::int64_t began_ns = 0;
  std::int64_t duration_ms = 0;       ///< Set if the job has ended.
  std::vector<std::string> argv;      ///< With roles: that of the first one.
  std::vector<launcher::Role> roles;  ///< Of --role: name and argv; none: all ranks run `argv`.
  std::vector<std::string> failures;
  std::string failure_kind;  ///< Of the first one, such as "rank_failed"; empty: there is none, or the job
                             ///< ended after this attempt.
  launcher::SupervisorProcess supervisor;
  std::vector<launcher::Host> hosts;              ///< One per node: the name, user and port to reach it.
  std::vector<launcher::ReplacedNode> replaced;   ///< By spares, while the job ran; the first one first.
  std::vector<launcher::EarlierAttempt> earlier;  ///< Attempts at the job before this one, the first one
                                                  ///< first. Their ids have the form of one.

  bool running() const { return state == "running"; }

  /// What to type for it: its name, else its id. Without control characters.
  std::string called() const;

  /// "job NAME", or "job ID", for messages.
  std::string title() const { return "job " + called(); }

  /// How long it ran, or has run so far; nullopt for a lost job.
  std::optional<std::chrono::milliseconds> ran_for() const;
};

/// The current log folder of a job in the index: the next job with the same folder renames it to
/// "<log_dir>.<id>". It is `log_dir` where that cannot be told, as on a file system that does not answer.
std::filesystem::path log_dir_of(const JobFile& job);

/// Whether the job was started on this machine.
bool is_of_this_machine(const JobFile& job);

/// Whether the job runs, or its supervisor, which may be about to start it again or to exit. A supervisor on
/// another machine is taken to run while its socket is there.
bool is_in_use(const JobFile& job);

/// The job.json in a folder; nullopt if there is none that can be read, such as a pipe of that name. Throws
/// std::runtime_error if it is not a JSON object.
std::optional<JobFile> read_job(const std::filesystem::path& folder);

/// The same, without an error: nullopt also for an incomplete file, or one of another version.
std::optional<JobFile> readable_job(const std::filesystem::path& folder);

/// The logs that a user asked for.
struct LogPlaces {
  std::vector<std::filesystem::path> places;  ///< Existing files and folders.
  std::string name;                           ///< As the user typed them.

  /// The job.json beside the logs, if they are of one job.
  std::optional<JobFile> job() const;
};

/// Each argument is a file or folder, or names a job in the index: see find_job. No argument means
/// `log_output`. Throws std::runtime_error for one that is neither, saying where it looked.
LogPlaces find_logs(const std::vector<std::string>& arguments);

}  // namespace adarun::cli
