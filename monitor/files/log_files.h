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

/// The logs in a folder, by rank: `worker_<rank>.log`, else `device<i>/log*` or `device<i>/train.log` (rank
/// i), else `node<s>/device<i>/` with the same (ranks from 0 on, by node and device). A log that is not there
/// may be there packed, `worker_<rank>.log.gz`. Empty where there is none.
std::vector<LogFile> logs_in(const std::filesystem::path& folder);

/// The logs of several folders and files. A file `worker_<rank>.log` is that rank's, any other the next rank
/// that is free, and so is a second file for one rank. Throws Error on a place that is not there.
std::vector<LogFile> logs_at(const std::vector<std::filesystem::path>& places);

}  // namespace adarun::monitor
