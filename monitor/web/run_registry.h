// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// An entry in the list of jobs.
struct JobEntry {
  std::string id;
  std::string name;  ///< For people: the name it was given, else what it runs.
  std::string state;
  std::int64_t began_ns = 0;
  std::uint32_t ranks = 0;
};

/// Gives a registry its jobs. Called only by the thread that polls the registry.
struct JobSource {
  std::function<std::vector<JobEntry>()> list;

  /// Opens the logs of a listed job; once more when another attempt at it has its log folder. Throws Error.
  std::function<std::unique_ptr<WatchedRun>(const std::string& id)> open;

  /// The facts known now.
  std::function<JobFacts(const std::string& id)> facts;
};

/// All runs that can be shown, and a version that counts changes. One thread polls; any thread may visit a
/// run.
class RunRegistry {
 public:
  using Clock = WatchedRun::Clock;

  /// If more runs are open, the least recently visited are closed.
  static constexpr std::size_t most_open = 8;

  /// `shown` are the ids that the page shows at first: opened here and never closed. Throws Error.
  RunRegistry(JobSource source, std::vector<std::string> shown);

  /// Reads what is new and opens requested runs; true if anything changed.
  bool poll(Clock::time_point now);

  const std::vector<std::string>& shown() const { return shown_; }
  std::vector<JobEntry> jobs() const;

  /// Opens the run if needed and calls `read` while nothing changes it. Returns an empty string, or why there
  /// is no run.
  std::string visit(const std::string& id, const std::function<void(const WatchedRun& run)>& read);

  /// Calls `read` with each open run, by id.
  void visit_open(const std::function<void(const std::string& id, const WatchedRun& run)>& read) const;

  /// Grows with each change.
  std::uint64_t version() const;

  /// Returns the version as soon as it is above `seen`, or at `deadline`; nothing once the registry is
  /// closed.
  std::optional<std::uint64_t> wait_beyond(std::uint64_t seen, Clock::time_point deadline) const;

  /// Wakes all waiting threads; later waits return at once.
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
  JobFacts facts_of(const std::string& id, const WatchedRun& run) const;
  std::unique_ptr<WatchedRun> open_anew(const std::string& id) const;
  bool poll_runs(Clock::time_point now);
  bool poll_run(WatchedRun& run, Clock::time_point now);
  bool update_findings(WatchedRun& run);

  JobSource source_;
  const std::vector<std::string> shown_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, OpenRun> open_;
  std::set<std::string> wanted_;
  std::map<std::string, std::string> refused_;  ///< Why a run could not be opened, by id.
  std::vector<JobEntry> jobs_;
  std::uint64_t version_ = 1;
  std::uint64_t visits_ = 0;
  bool closed_ = false;
  Clock::time_point next_refresh_;
  Clock::time_point next_findings_;
};

}  // namespace adarun::monitor::web
