// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/jobs/job_dir.h"
#include "monitor/parse/line_pattern.h"
#include "monitor/web/run_registry.h"

namespace adarun::cli {

/// One run that a user asked monitor for.
struct AskedRun {
  std::string id;  ///< The job's, else what the user called it.
  LogPlaces logs;
  std::filesystem::path metrics;  ///< A trainer's JSON lines; empty: none.
};

/// The runs of `places`: one of all of them together or, where they hold logs of several jobs, one of each
/// job (what no job.json tells of is a job of its own); with `each`, one of each place. `metrics` is the
/// first one's; where it is empty, a folder's metrics.jsonl is taken. Throws as find_logs does.
std::vector<AskedRun> asked_runs(const std::vector<std::string>& places, bool each,
                                 const std::string& metrics);

/// A run as its logs are now.
struct ReadRun {
  std::string id;
  std::unique_ptr<monitor::Run> run;
  std::optional<JobFile> job;
  std::vector<std::filesystem::path> places;   ///< Of its logs, ...
  std::vector<monitor::LinePattern> patterns;  ///< ... which were read in these too.
};

/// Where a rank runs; empty where that is not known.
std::string node_of(const std::optional<JobFile>& job, std::uint32_t rank);

/// Reads all that the logs of a run hold, in `patterns` too. Quits with a message where there is no log, or
/// no loss in any.
ReadRun read_run(const AskedRun& asked, std::vector<monitor::LinePattern> patterns);

/// What job.json says of a job, for the monitor.
monitor::web::JobFacts facts_of(const JobFile& job);

/// A rank's state, as job.json tells: what ran when a job was lost is lost as well.
monitor::ProcessState rank_state(const JobFile& job, const JobFile::Rank& rank);

/// Jobs for a page: `asked`, which must outlive it, and those of the user's index; their logs are read in
/// `patterns` too.
monitor::web::JobSource job_source(const std::vector<AskedRun>& asked,
                                   std::vector<monitor::LinePattern> patterns);

}  // namespace adarun::cli
