// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/jobs/job_dir.h"
#include "launcher/record/job_index.h"
#include "monitor/web/run_registry.h"

namespace adarun::cli {

/// The program and arguments of a job; the program without its folder, to save space.
std::string short_command_of(JobFile job);

/// A job as an entry of a list.
monitor::web::JobEntry entry_of(const JobFile& job);

/// The jobs of an index, by default the user's, for a list that is brought up to date often: the job.json of
/// one that has ended is read once, as it may be large.
class JobList {
 public:
  explicit JobList(std::filesystem::path index = launcher::job_index()) : index_(std::move(index)) {}

  /// The newest first. Entries that cannot be read are left out.
  std::vector<monitor::web::JobEntry> read();

 private:
  struct Ended {
    std::filesystem::file_time_type written;
    std::uintmax_t size_bytes;
    monitor::web::JobEntry entry;
  };

  std::filesystem::path index_;
  std::map<std::filesystem::path, Ended> ended_;  ///< By the folder of its job.json.
};

}  // namespace adarun::cli
