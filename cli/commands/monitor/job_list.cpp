// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/job_list.h"

#include <algorithm>
#include <system_error>
#include <tuple>

#include "cli/jobs/find_job.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;
using monitor::web::JobEntry;

}  // namespace

std::string short_command_of(JobFile job) {
  if (!job.argv.empty()) job.argv[0] = fs::path(job.argv[0]).filename().string();
  return command_of(job);
}

JobEntry entry_of(const JobFile& job) {
  return {job.id, job.name.empty() ? short_command_of(job) : job.name, job.state, job.began_ns,
          job.world_size};
}

std::vector<JobEntry> JobList::read() {
  std::vector<JobEntry> entries;
  std::map<fs::path, Ended> ended;
  std::error_code error;
  for (fs::directory_iterator each(index_, error), end; !error && each != end; each.increment(error)) {
    const fs::path& folder = each->path();
    std::error_code unknown;
    const auto written = fs::last_write_time(folder / "job.json", unknown);
    const std::uintmax_t size_bytes = unknown ? 0 : fs::file_size(folder / "job.json", unknown);
    if (unknown) continue;
    const auto known = ended_.find(folder);
    if (known != ended_.end() && known->second.written == written && known->second.size_bytes == size_bytes) {
      entries.push_back(known->second.entry);
      ended.insert(ended_.extract(known));
      continue;
    }
    const auto job = readable_job(folder);
    if (!job) continue;
    entries.push_back(entry_of(*job));
    // What a job that runs, or is lost, has in its file is not all that tells its state.
    if (!job->running() && job->state != "lost")
      ended.emplace(folder, Ended{written, size_bytes, entries.back()});
  }
  ended_ = std::move(ended);
  std::sort(entries.begin(), entries.end(), [](const JobEntry& one, const JobEntry& other) {
    return std::tie(one.began_ns, one.id) > std::tie(other.began_ns, other.id);
  });
  return entries;
}

}  // namespace adarun::cli
