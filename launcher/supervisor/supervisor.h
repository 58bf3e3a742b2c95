// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/job/job_input.h"
#include "launcher/job/job_signals.h"
#include "launcher/job/observer.h"
#include "launcher/job/report.h"
#include "launcher/plan/job_options.h"
#include "launcher/plan/placement.h"
#include "launcher/plan/plan.h"
#include "launcher/record/job_index.h"
#include "launcher/record/log_folder.h"
#include "launcher/supervisor/attempts.h"
#include "launcher/supervisor/control_server.h"

namespace adarun::launcher {

/// The command that runs a job, as its supervisor sees it: gives what only the command knows, and shows the
/// job to the user. Called on the thread that runs the job. What a function throws ends the job.
class Frontend {
 public:
  virtual ~Frontend() = default;

  /// What is of the next attempt alone (see AttemptOptions); called before each one.
  virtual AttemptOptions next_attempt(const Placement& placement, std::vector<EarlierAttempt> earlier) = 0;

  /// Whether the job runs on without the terminal it was started from.
  virtual bool is_detached() const { return false; }

  /// The first attempt is about to begin. `process` has the job's folder in the index, which exists; empty:
  /// there is no index. Returns what reserves the job's name until that is recorded. May refuse the job.
  virtual base::FileDescriptor enter(const SupervisorProcess& process, const std::string& job_id) = 0;

  /// An attempt begins, whose plan changes as spares join. Returns who observes it until the next one begins,
  /// and knows the steps of its ranks.
  virtual JobObserver& begin(const Plan& plan) = 0;

  /// All ranks of an attempt have started.
  virtual void all_started() {}

  /// The attempt has ended: shows no more of its ranks. Its files are not complete yet.
  virtual void end() = 0;

  /// Its files are complete: says how it has ended.
  virtual void report(const Plan& plan, const JobReport& report, const LogFolder& logs) = 0;

  /// Waits until all that was said of the attempt is read: for `at_most`, and until a signal that ends the
  /// job. Returns that signal, or 0.
  virtual int wait_for_readers(std::optional<std::chrono::seconds> at_most, const SignalGuard& signals) = 0;
};

/// A job over all its attempts: plans each one, runs it, records it in the log folder and in the job index,
/// decides whether and where another one follows, and answers other processes meanwhile (see ControlServer).
/// Borrows the constructor's arguments.
class Supervisor {
 public:
  /// Sets the log folder of `options` where that may move. Looks up the nodes; until that is done, signals
  /// end the process as usual. `input`: what ranks read from stdin. Throws Error if a node that is needed has
  /// no address.
  Supervisor(JobOptions& options, const ReachOptions& reach, const Placement& placement, JobInput& input,
             Frontend& frontend);

  /// Removes the job's folder in the index where nothing was recorded there: no attempt has begun.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Runs the job until no attempt follows. Returns the exit status of the last one. Throws Error, or what
  /// the front end throws, if an attempt cannot begin.
  int run();

 private:
  struct Attempt;
  class AttemptObserver;

  int run_attempts();
  Attempt next_attempt(std::chrono::milliseconds timeout_used);
  Plan plan_of(const AttemptOptions& attempt) const;
  void enter_index(const std::string& job_id);
  void hide_secrets(const Plan& plan);
  void open_logs(Attempt& attempt, std::optional<LogFolder>& logs);
  JobReport run_once(Attempt& attempt);
  JobReport run_on_nodes(Attempt& attempt, JobObserver& observer);
  std::string replace(std::uint32_t node, Attempt& attempt);
  std::optional<Attempts::Next> next_after(const Plan& plan, const JobReport& report);
  std::optional<Failure> await_next(std::chrono::milliseconds delay, std::chrono::milliseconds used,
                                    int signal);
  void note_attempt(const Attempt& attempt, const JobReport& report, const std::string& change);
  void record_end(const Failure& failure, const std::string& id);

  JobOptions& options_;
  base::Log& log_;
  JobInput& input_;
  Frontend& frontend_;
  std::int64_t begun_ns_;  ///< When the attempt that is next, or runs, was asked for.
  Attempts attempts_;
  SignalGuard signals_;
  std::vector<EarlierAttempt> earlier_;  ///< Those that another one was to follow.
  std::filesystem::path index_;          ///< Empty: none.
  SupervisorProcess process_;
  base::FileDescriptor name_claim_;   ///< Until the name is recorded.
  base::FileDescriptor folder_lock_;  ///< Between attempts: else another job could take the log folder.
  std::unique_ptr<ControlServer> control_server_;  ///< Null without an index.
};

}  // namespace adarun::launcher
