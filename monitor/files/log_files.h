// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace adarun::monitor {

/// The log of one rank.
struct LogFile {
  std::uint32_t rank = 0;
  std::filesystem::path path;

  bool operator==(const LogFile&) const = default;
};

/// What logs_in looks for, for messages.
inline constexpr const char* looked_for =
    "worker_<rank>.log, device<i>/log*, node<s>/device<i>/train.log, attempt_<n>/<rank>/stdout.log, "
    "*rank<n>*.log, *.log";

/// The logs in a folder, by rank, of the first kind that is there: `worker_<rank>.log` (adarun, msrun);
/// `device<i>/log*` or `device<i>/train.log` (rank i); `node<s>/device<i>/` with the same (ranks from 0 on,
/// by node and device); torchrun's `attempt_<n>/<rank>/stdout.log`, there or in a folder of the run (the last
/// attempt of the last run; stderr.log where stdout.log is empty); files with a rank in their names such as
/// `log_rank3.txt` or `3.log`; any `*.log` and `*.out`, by name. `scheduler.log` and what adarun writes
/// beside the logs are none. A log of the first three kinds that is not there may be there packed,
/// `worker_<rank>.log.gz`. Empty where there is none.
std::vector<LogFile> logs_in(const std::filesystem::path& folder);

/// The logs of several folders and files. A file with a rank in its name, as above, is that rank's, any other
/// the next rank that is free, and so is a second file for one rank. `scheduler.log` among others is left
/// out, and so is a log that has come before. Throws Error on a place that is not there.
std::vector<LogFile> logs_at(const std::vector<std::filesystem::path>& places);

}  // namespace adarun::monitor
