// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/earlier_runs.h"

#include <exception>
#include <utility>

#include "cli/jobs/find_job.h"
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

EarlierRun run_of(const JobFile& job, std::size_t number, const std::filesystem::path& folder) {
  const launcher::EarlierAttempt& attempt = job.earlier[number];
  return {attempt.job_id, log_dir_of(attempt, job, folder), number + 2, change_after(job, number)};
}

// Those before it are not read.
std::size_t first_of_last(std::size_t count) {
  constexpr std::size_t most = 100;
  return count > most ? count - most : 0;
}

}  // namespace

std::vector<EarlierRun> earlier_runs(const LogPlaces& logs) {
  const auto job = logs.job();
  std::vector<EarlierRun> runs;
  if (!job) return runs;
  for (std::size_t i = first_of_last(job->earlier.size()); i < job->earlier.size(); ++i) {
    EarlierRun run = run_of(*job, i, logs.places[0]);
    if (!run.folder.empty() || !runs.empty()) runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<EarlierRun> runs_from(const std::string& id, const JobFile& job,
                                  const std::filesystem::path& folder) {
  std::vector<EarlierRun> runs;
  for (std::size_t i = 0; i < job.earlier.size(); ++i) {
    const bool is_first = runs.empty() && job.earlier[i].job_id == id;
    if (is_first || (!runs.empty() && i >= first_of_last(job.earlier.size())))
      runs.push_back(run_of(job, i, folder));
  }
  return runs;
}

void read_others(const std::filesystem::path& folder, const std::set<std::uint32_t>& all_but,
                 const FeedRank& feed) {
  if (folder.empty()) return;
  monitor::LogWatch watch({folder});
  watch.leave_out_unreadable();
  try {
    std::set<std::uint32_t> ranks;
    for (const monitor::LogFile& log : monitor::logs_in(folder))
      if (!all_but.contains(log.rank)) ranks.insert(log.rank);
    if (ranks.empty()) return;
    watch.only(std::move(ranks));
    watch.find();
  } catch (const std::exception&) {
    return;  // Removed a moment ago.
  }
  while (watch.poll(
      [&feed](const monitor::LogFile& log, bool, std::string_view bytes) { feed(log.rank, bytes); })) {
  }
}

void read_earlier(const std::vector<EarlierRun>& runs, const FeedRank& feed, const BeginAttempt& begin) {
  for (const EarlierRun& run : runs) {
    read_others(run.folder, {}, feed);
    begin(run.next, run.change);
  }
}

}  // namespace adarun::cli
