// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "monitor/web/watched_run.h"

namespace adarun::monitor::web {

/// A job as a list of jobs has it.
struct JobEntry {
  std::string id;
  std::string name;  ///< For a person: what it runs.
  std::string state;
  std::int64_t began_ns = 0;
  std::uint32_t ranks = 0;
};

/// Where a registry learns of jobs. Called by the thread that polls the registry, and by no other.
struct JobSource {
  std::function<std::vector<JobEntry>()> list;

  /// Opens the logs of a listed job. Throws Error.
  std::function<std::unique_ptr<WatchedRun>(const std::string& id)> open;

  /// What is known of it now.
  std::function<JobFacts(const std::string& id)> facts;
};

/// All runs that can be shown, and what changed. One thread polls; any may visit a run.
class RunRegistry {
 public:
  using Clock = WatchedRun::Clock;

  /// Runs beyond this many are closed, the least recently visited first.
  static constexpr std::size_t most_open = 8;

  /// `shown` are the ids that the page begins with: opened here and never closed. Throws Error.
  RunRegistry(JobSource source, std::vector<std::string> shown);

  /// Reads what is new and opens what was asked for; true where there was news.
  bool poll(Clock::time_point now);

  const std::vector<std::string>& shown() const { return shown_; }
  std::vector<JobEntry> jobs() const;

  /// Calls `read` with a run while nothing changes it; opens it first. Empty, else why there is none.
  std::string visit(const std::string& id, const std::function<void(const WatchedRun& run)>& read);

  /// Calls `read` with each open run, by id.
  void visit_open(const std::function<void(const std::string& id, const WatchedRun& run)>& read) const;

  /// Grows with all that changes.
  std::uint64_t version() const;

  /// Returns the version as soon as it is above `seen`, at the latest at `deadline`; nothing once the
  /// registry is closed.
  std::optional<std::uint64_t> wait_beyond(std::uint64_t seen, Clock::time_point deadline) const;

  /// Wakes all who wait, for good.
  void close();

 private:
  struct OpenRun {
    std::unique_ptr<WatchedRun> run;
    std::uint64_t visited = 0;
  };

  void open_wanted();
  void close_unused();
  bool is_listed(const std::string& id) const;
  bool refresh_jobs(Clock::time_point now);
  bool poll_runs(Clock::time_point now);
  bool poll_run(WatchedRun& run, Clock::time_point now);
  bool update_findings(WatchedRun& run);

  JobSource source_;
  const std::vector<std::string> shown_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, OpenRun> open_;
  std::set<std::string> wanted_;
  std::map<std::string, std::string> refused_;  ///< Why it could not be opened, by id.
  std::vector<JobEntry> jobs_;
  std::uint64_t version_ = 1;
  std::uint64_t visits_ = 0;
  bool closed_ = false;
  Clock::time_point next_refresh_;
  Clock::time_point next_findings_;
};

}  // namespace adarun::monitor::web
