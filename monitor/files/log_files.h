// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "monitor/files/open_file.h"

namespace adarun::monitor {

/// The log of one rank.
struct LogFile {
  std::uint32_t rank = 0;
  std::filesystem::path path;

  bool operator==(const LogFile&) const = default;
};

/// The logs of an attempt at a job before the last one, and what came after it.
struct EarlierRun {
  std::string id;
  std::filesystem::path folder;  ///< Empty: the logs are gone.
  std::uint64_t next = 2;        ///< The number of the attempt after it ...
  std::string change;            ///< ... and how that came about: "node2 is lost; node3 joins".
};

/// The names that logs_in looks for, for messages.
inline constexpr const char* looked_for =
    "worker_<rank>.log, device<i>/log*, node<s>/device<i>/train.log, attempt_<n>/<rank>/stdout.log, "
    "*rank<n>*.log, *.log";

/// The logs in a folder, by rank. Uses the first of these kinds that exists: `worker_<rank>.log` (adarun,
/// msrun); `device<i>/log*` or `device<i>/train.log` (rank i); `node<s>/device<i>/` with the same (ranks from
/// 0 on, by node and device); torchrun's `attempt_<n>/<rank>/stdout.log`, here or in the folder of a run (the
/// last attempt of the last run; stderr.log if stdout.log is empty); files with a rank in their names such as
/// `log_rank3.txt` or `3.log`; any `*.log` and `*.out`, by name. `scheduler.log` and adarun's own files in
/// the folder are ignored. Instead of a log of the first three kinds, its compressed form is taken if only
/// that exists: `worker_<rank>.log.gz`. Where links are refused, they are
/// left out. Empty if there are no logs.
std::vector<LogFile> logs_in(const std::filesystem::path& folder, Links links = Links::followed);

/// The logs of several folders and files. A file with a rank in its name, as above, gets that rank; any other
/// file, and a second file for one rank, gets the next free rank. With more than one place, `scheduler.log`
/// and repeated files are left out. Throws Error if a place does not exist, or is a link that is refused.
std::vector<LogFile> logs_at(const std::vector<std::filesystem::path>& places, Links links = Links::followed);

}  // namespace adarun::monitor
