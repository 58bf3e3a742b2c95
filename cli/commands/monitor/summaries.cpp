// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/summaries.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/console/print.h"
#include "cli/logs/log_lines.h"
#include "monitor/base/error.h"
#include "monitor/base/text.h"
#include "monitor/files/log_watch.h"
#include "monitor/series/facts.h"
#include "monitor/view/summary.h"

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
  run.finish_all();
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

std::string median_text(const std::optional<monitor::MergedPoint>& point) {
  if (!point) return "-";
  return point->ranks == 0 ? "nan" : monitor::loss_text(point->median);
}

std::string place_text(const std::optional<monitor::MergedPoint>& point) {
  return point ? "epoch " + std::to_string(point->epoch) + " step " + std::to_string(point->step) : "-";
}

std::vector<std::string> row_of(const ReadRun& run) {
  const monitor::Summary summary = monitor::summary_of(*run.run);
  return {run.label,
          std::to_string(summary.ranks),
          median_text(summary.first),
          median_text(summary.now),
          place_text(summary.now),
          median_text(summary.best),
          place_text(summary.best),
          summary.validation ? median_text(summary.validation->last) : "-",
          summary.step_ms ? monitor::loss_text(*summary.step_ms) + " ms" : "-",
          summary.images_per_s ? base::grouped(static_cast<std::size_t>(std::llround(*summary.images_per_s)))
                               : "-",
          summary.accuracy ? monitor::loss_text(*summary.accuracy) : "-",
          summary.findings.empty() ? "-" : std::to_string(summary.findings.size())};
}

std::string comparison_table(const std::vector<ReadRun>& runs) {
  constexpr std::ptrdiff_t validation = 7;
  std::vector<std::vector<std::string>> rows{{"RUN", "RANKS", "FIRST", "LAST", "AT", "BEST", "AT",
                                              "VALIDATION", "STEP TIME", "IMAGES/S", "ACCURACY", "FINDINGS"}};
  for (const ReadRun& run : runs) rows.push_back(row_of(run));
  const bool has_validation =
      std::any_of(rows.begin() + 1, rows.end(),
                  [](const std::vector<std::string>& row) { return row[validation] != "-"; });
  if (!has_validation)
    for (std::vector<std::string>& row : rows) row.erase(row.begin() + validation);
  return columns(rows);
}

std::string comparison_json(const std::vector<ReadRun>& runs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ReadRun& run : runs) {
    const auto node = [&](std::uint32_t rank) { return node_of(run.job, rank); };
    monitor::Summary summary = monitor::summary_of(*run.run);
    date_findings(summary.findings, run);
    nlohmann::ordered_json entry{{"run", run.id}};
    entry.update(nlohmann::ordered_json::parse(monitor::summary_json(summary, node)));
    list.push_back(std::move(entry));
  }
  return json_text(list);
}

void print_summary(const ReadRun& read, const monitor::Summary& summary, bool json) {
  if (json) {
    const auto node = [&read](std::uint32_t rank) { return node_of(read.job, rank); };
    std::printf("%s\n", monitor::summary_json(summary, node).c_str());
    return;
  }
  const auto node = [&read](std::uint32_t rank) { return node_and_role_of(read.job, rank); };
  if (const auto& job = read.job) {
    std::printf("%-11s %s, %s", "job", job->called().c_str(), base::clean_line(job->state).c_str());
    if (job->status) std::printf(", status %d", *job->status);
    std::printf("\n");
  }
  for (const std::string& line : monitor::summary_lines(summary, node))
    std::printf("%s\n", base::clean_line(line).c_str());
}

// Printed below a table, which has only their number.
void print_findings(const ReadRun& read, const monitor::Summary& summary) {
  const auto node = [&read](std::uint32_t rank) { return node_and_role_of(read.job, rank); };
  for (const monitor::RunFinding& finding : summary.findings)
    std::printf("%s: %s: %s\n", base::clean_line(read.label).c_str(),
                std::string(monitor::name_of(finding.fault)).c_str(),
                base::clean_line(monitor::finding_text(finding, node)).c_str());
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
  const monitor::Run run = dated_run(read, watch, clock);
  std::erase_if(findings, [&run](const RunFinding& each) {  // By their times, they are only slow.
    const auto rank =
        each.fault == monitor::Fault::stopped ? run.ranks().find(*each.rank) : run.ranks().end();
    return rank != run.ranks().end() && !monitor::is_silent(run, rank->second);
  });
  const std::vector<RunFinding> dated = monitor::findings(run);
  for (RunFinding& finding : findings) {
    const auto same = std::find_if(dated.begin(), dated.end(),
                                   [&finding](const RunFinding& each) { return same_place(each, finding); });
    if (same != dated.end()) finding.time_ms = same->time_ms;
  }
}

bool print_summaries(const std::vector<ReadRun>& runs, const SummaryForm& form) {
  const bool compare = form.compare || runs.size() > 1;
  const bool lists_findings = compare && form.findings && !form.json;
  if (compare) std::fputs((form.json ? comparison_json(runs) : comparison_table(runs)).c_str(), stdout);
  bool found = false;
  for (const ReadRun& read : runs) {
    monitor::Summary summary = monitor::summary_of(*read.run);
    if (!compare || lists_findings) date_findings(summary.findings, read);
    if (!compare) print_summary(read, summary, form.json);
    if (lists_findings) print_findings(read, summary);
    found = found || !summary.findings.empty();
  }
  return found;
}

}  // namespace adarun::cli
