// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/earlier_runs.h"

#include "cli/jobs/attempts.h"
#include "monitor/base/error.h"
#include "monitor/files/log_watch.h"

namespace adarun::cli {
namespace {

// How the attempt after this one came about. An older job.json does not say.
std::string change_after(const JobFile& job, std::size_t number) {
  const launcher::EarlierAttempt& attempt = job.earlier[number];
  if (!attempt.change.empty()) return attempt.change;
  const bool is_last = number + 1 == job.earlier.size();
  const std::string nodes = is_last ? node_list_of(job) : job.earlier[number + 1].nodes;
  return nodes == attempt.nodes ? "restart" : "on " + nodes;
}

void read_logs(const std::filesystem::path& folder, const FeedRank& feed) {
  monitor::LogWatch watch({folder});
  try {
    watch.find();
  } catch (const monitor::Error&) {
    return;  // Removed a moment ago.
  }
  while (watch.poll(
      [&feed](const monitor::LogFile& log, bool, std::string_view bytes) { feed(log.rank, bytes); })) {
  }
}

}  // namespace

std::string last_change_of(const JobFile& job) {
  return job.earlier.empty() ? "" : change_after(job, job.earlier.size() - 1);
}

std::vector<EarlierRun> earlier_runs(const LogPlaces& logs) {
  constexpr std::size_t most = 100;
  const auto job = logs.job();
  std::vector<EarlierRun> runs;
  if (!job) return runs;
  const std::size_t count = job->earlier.size();
  for (std::size_t i = count > most ? count - most : 0; i < count; ++i) {
    const std::filesystem::path folder = log_dir_of(job->earlier[i], *job, logs.places[0]);
    if (folder.empty() && runs.empty()) continue;
    runs.push_back({job->earlier[i].job_id, folder, i + 2, change_after(*job, i)});
  }
  return runs;
}

void read_earlier(const std::vector<EarlierRun>& runs, const FeedRank& feed, const BeginAttempt& begin) {
  for (const EarlierRun& run : runs) {
    if (!run.folder.empty()) read_logs(run.folder, feed);
    begin(run.next, run.change);
  }
}

}  // namespace adarun::cli
