// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/finding_times.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/logs/line_clock.h"
#include "cli/logs/log_lines.h"
#include "monitor/base/error.h"
#include "monitor/files/log_watch.h"

namespace adarun::cli {
namespace {

using monitor::RunFinding;

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;
constexpr std::size_t piece_bytes = 1U << 20U;

std::uint64_t size_of(const std::vector<monitor::LogFile>& logs) {
  std::uint64_t bytes = 0;
  for (const monitor::LogFile& log : logs) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(log.path, error);
    bytes += error ? 0 : size;
  }
  return bytes;
}

void feed_dated(monitor::Run& run, monitor::LogWatch& watch, const monitor::LogFile& log, LineClock& clock) {
  const bool told = clock.tells(log);
  LogLines lines(watch, log.rank, piece_bytes);
  const auto feed = [&] { run.feed(log.rank, lines.line(), told ? clock.time_of(lines, log.path) : 0); };
  while (lines.next()) feed();
  if (lines.rest()) feed();
}

// A log that cannot be read, such as a damaged one of an earlier attempt, is left out.
void feed_all_dated(monitor::Run& run, monitor::LogWatch& watch, LineClock& clock) {
  for (const monitor::LogFile& log : watch.logs()) {
    try {
      feed_dated(run, watch, log, clock);
    } catch (const monitor::Error&) {
    }
  }
}

// Reads the run again, with the time of each line.
monitor::Run dated_run(const ReadRun& read, monitor::LogWatch& watch, LineClock& clock) {
  monitor::Run run;
  if (!read.patterns.empty()) run.read_also(read.patterns);
  for (const EarlierRun& earlier : read.earlier) {
    if (!earlier.folder.empty()) {
      LineClock its_clock;
      monitor::LogWatch its_watch({earlier.folder});
      its_watch.find();
      feed_all_dated(run, its_watch, its_clock);
    }
    run.next_attempt(earlier.next, earlier.change);
  }
  if (read.job) run.expect(read.job->world_size);
  feed_all_dated(run, watch, clock);
  return run;
}

std::uint64_t size_of_earlier(const std::vector<EarlierRun>& runs) {
  std::uint64_t bytes = 0;
  for (const EarlierRun& run : runs)
    if (!run.folder.empty()) bytes += size_of(monitor::logs_in(run.folder));
  return bytes;
}

bool same_place(const RunFinding& one, const RunFinding& other) {
  return one.fault == other.fault && one.rank == other.rank && one.epoch == other.epoch &&
         one.step == other.step;
}

}  // namespace

void date_findings(std::vector<RunFinding>& findings, const ReadRun& read) {
  if (findings.empty()) return;
  monitor::LogWatch watch(read.places);
  watch.find();
  watch.stop_at_present_ends();
  const std::vector<monitor::LogFile> logs = watch.logs();
  LineClock clock;
  const auto is_told = [&clock](const monitor::LogFile& log) { return clock.tells(log); };
  if (size_of(logs) + size_of_earlier(read.earlier) > most_bytes ||
      std::none_of(logs.begin(), logs.end(), is_told))
    return;
  const std::vector<RunFinding> dated = monitor::findings(dated_run(read, watch, clock));
  for (RunFinding& finding : findings) {
    const auto same = std::find_if(dated.begin(), dated.end(),
                                   [&finding](const RunFinding& each) { return same_place(each, finding); });
    if (same != dated.end()) finding.time_ms = same->time_ms;
  }
}

}  // namespace adarun::cli
