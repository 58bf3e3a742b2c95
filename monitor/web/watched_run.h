// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_cutter.h"
#include "monitor/detect/finding.h"
#include "monitor/files/log_files.h"
#include "monitor/files/log_watch.h"
#include "monitor/series/run.h"
#include "monitor/series/step_clock.h"
#include "monitor/web/metrics_file.h"
#include "monitor/web/time_line.h"

namespace adarun::monitor::web {

/// What is known of a job besides its logs.
struct JobFacts {
  std::string state;             ///< running, done, failed...; empty if there are only logs.
  std::int64_t began_ns = 0;     ///< Since the Unix epoch; 0: not known.
  std::uint32_t world_size = 0;  ///< 0: not known.
  std::string command;
  std::map<std::uint32_t, ProcessState> ranks;
  std::map<std::uint32_t, std::string> nodes;
  std::string first_id = {};  ///< Of the first of the attempts that the job runs in; empty: not known.
  std::uint64_t attempt = 1;  ///< Whose logs its folder has now.
};

/// One run as it grows: its logs, what they report, and the times. Not thread-safe.
class WatchedRun {
 public:
  using Clock = std::chrono::steady_clock;

  /// Folders and files as logs_at takes them; `metrics` is the path of a trainer's JSON lines, or empty. What
  /// is read is shown to others: symbolic links in these paths, and in the folders, are not followed.
  WatchedRun(const std::vector<std::filesystem::path>& places, const std::filesystem::path& metrics);
  WatchedRun(const WatchedRun&) = delete;
  WatchedRun& operator=(const WatchedRun&) = delete;

  /// Adds the user's own formats. Must be called before the first poll.
  void read_also(std::vector<LinePattern> patterns);

  /// Reads these first, in their order. Must be called before the first poll.
  void read_first(const std::vector<EarlierRun>& earlier) { earlier_.assign(earlier.begin(), earlier.end()); }

  /// Reads a piece of what is new; true if there was any. Throws Error if its places no longer exist.
  bool poll(Clock::time_point now);

  /// Looks for new logs. Throws Error.
  void find_logs();

  /// Reads everything available now.
  void drain();

  void set_facts(JobFacts facts);

  /// Whether these are of another attempt, or of another job, than the one whose logs are read.
  bool is_of_another(const JobFacts& facts) const {
    return !facts.first_id.empty() && !facts_.first_id.empty() &&
           (facts.first_id != facts_.first_id || facts.attempt != facts_.attempt);
  }

  /// Whether all is read that was in the logs at the beginning.
  bool has_caught_up() const { return caught_up_; }

  /// Why its logs could not be read at the last try; empty if they could.
  const std::string& trouble() const { return trouble_; }
  void note_trouble(const std::string& words) { trouble_ = words; }

  const Run& run() const { return run_; }
  const JobFacts& facts() const { return facts_; }
  const std::vector<LogFile>& logs() const { return logs_; }
  const MetricsFile* metrics() const { return metrics_ ? &*metrics_ : nullptr; }

  /// Where times() are from, for people.
  std::string_view time_source() const;
  /// When it reached each position, from the best source available.
  const TimeLine& times() const;
  /// How long steps took.
  const StepTimes& step_times() const;

  /// Its numbers besides the loss: those of the metrics file, else those of AdaSum's lines in the log.
  const Quantities& quantities() const;
  std::optional<double> steps_per_s() const { return rate_.steps_per_s(); }

  /// The findings noted last; the run may have changed since.
  const std::vector<RunFinding>& findings() const { return findings_; }
  void note_findings(std::vector<RunFinding> findings);
  bool changed_since_findings() const { return changed_; }

  std::string node_of(std::uint32_t rank) const;

 private:
  void read_earlier();
  bool read_earlier_logs(const std::filesystem::path& folder);
  void feed(const LogFile& log, bool is_first, std::string_view bytes, std::int64_t now_ms);
  void apply_facts();
  std::uint64_t begin_of_attempt(std::uint64_t position) const;
  void take_metrics(std::uint32_t rank, std::uint64_t position, const MetricLine& line);
  void note_arrival(Clock::time_point now);
  void take_adasum(std::uint32_t rank, std::string_view line);

  struct Timing {
    TimeLine times;
    StepTimes steps;
  };

  std::deque<EarlierRun> earlier_;         ///< Those that are still to be read.
  std::optional<LogWatch> earlier_watch_;  ///< Of the first of them.
  std::size_t poll_bytes_ = LogWatch::default_poll_bytes;
  LogWatch watch_;
  std::vector<LogFile> logs_;
  Run run_;
  std::filesystem::path metrics_path_;
  bool each_has_metrics_;  ///< They are in the log folder of each attempt.
  std::optional<MetricsFile> metrics_;
  base::LineCutter adasum_lines_{base::log_lines};  ///< Of the first rank's log; only it has them.
  Quantities adasum_;
  JobFacts facts_;
  std::vector<RunFinding> findings_;
  StepRate rate_;
  Timing printed_;
  double printed_s_ = 0;
  std::optional<std::uint32_t> timing_rank_;  ///< The rank whose printed times are used.
  std::map<std::uint32_t, std::uint64_t> timed_to_;
  Timing arrived_;
  bool changed_ = true;
  std::string trouble_;
  bool caught_up_ = false;  ///< All old data is read; earlier lines are older than their arrival.
  Clock::time_point began_;
  Clock::time_point moved_;
  std::uint64_t position_ = 0;
};

}  // namespace adarun::monitor::web
