// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/monitor/earlier_runs.h"
#include "cli/jobs/job_dir.h"
#include "monitor/files/log_watch.h"
#include "monitor/parse/line_pattern.h"
#include "monitor/web/run_registry.h"

namespace adarun::cli {

/// One run that the user wants to see.
struct AskedRun {
  std::string id;  ///< The job's id, else the place as the user typed it.
  LogPlaces logs;
  std::filesystem::path metrics;         ///< A trainer's JSON lines; empty: none.
  std::vector<EarlierRun> earlier = {};  ///< Earlier attempts at the job, of which it is the last.
  bool is_whole = true;                  ///< Whether they are part of it.

  /// Replaces links in the places, as the user named them, by what they point to now.
  void name_without_links();

  /// Leaves them out.
  void show_last_attempt() {
    earlier.clear();
    is_whole = false;
  }
};

/// The runs in `places`: one run per job, where logs without a job.json count together as one job; with
/// `each`, one run per place. `metrics` belongs to the first run; if it is empty, metrics.jsonl in the run's
/// folder is used. Earlier attempts at a job are part of its run unless one of them is asked for, too. Throws
/// as find_logs does.
std::vector<AskedRun> asked_runs(const std::vector<std::string>& places, bool each,
                                 const std::string& metrics);

/// A run, read from the current content of its logs.
struct ReadRun {
  std::string id;
  std::string label;  ///< For tables and pictures: the name of its job, else its id.
  std::unique_ptr<monitor::Run> run;
  std::optional<JobFile> job;
  std::vector<std::filesystem::path> places;   ///< Places of its logs.
  std::vector<monitor::LinePattern> patterns;  ///< Further formats of loss lines.
  std::vector<EarlierRun> earlier;             ///< Earlier attempts, whose logs were read first.
};

/// The node of a rank; empty if not known.
std::string node_of(const std::optional<JobFile>& job, std::uint32_t rank);

/// The same for people: "node2 (decode)" for a rank that has a role.
std::string node_and_role_of(const std::optional<JobFile>& job, std::uint32_t rank);

/// "no loss line in 2 logs", and what may be read instead: see monitor::unread_format_in().
std::string no_loss_line(const monitor::LogWatch& watch);

/// Reads the logs of runs, with `patterns` as further formats of loss lines. Those whose jobs have one name
/// have their ids as labels. Throws ExitError for one without a log, or without a loss in any.
std::vector<ReadRun> read_runs(const std::vector<AskedRun>& asked,
                               const std::vector<monitor::LinePattern>& patterns);

/// A rank's state in job.json; if the job was lost, its running ranks count as lost.
monitor::ProcessState rank_state(const JobFile& job, const JobFile::Rank& rank);

/// Jobs for the web page: `asked`, which must outlive the result, and those in the user's index, which are
/// whole if the first one is. `patterns`: further formats of loss lines.
monitor::web::JobSource job_source(const std::vector<AskedRun>& asked,
                                   std::vector<monitor::LinePattern> patterns);

}  // namespace adarun::cli
