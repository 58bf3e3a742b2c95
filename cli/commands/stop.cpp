// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/file_descriptor.h"
#include "base/log/log.h"
#include "cli/arguments/job_name.h"
#include "cli/commands/commands.h"
#include "cli/jobs/find_job.h"
#include "launcher/supervisor/control_server.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* stop_examples = R"(
Every process of a job gets TERM, then KILL after its --grace, as after Ctrl-C in a terminal. Several jobs are told at
once; each has a line when it has ended. What names no job is reported, and the others are stopped.

Examples:
  adarun stop                        the only job that runs
  adarun stop 20261121-104502        a job by its id, the beginning of it, or its name
  adarun stop --all                  every job that runs here
  adarun stop --now                  KILL at once

Exit status: 0 they have ended, 3 that could not be done of one.)";

// Maximum time from the control servers' answers to the supervisors' ends; includes the grace, which may be
// long.
constexpr std::chrono::minutes longest_wait{10};
constexpr std::chrono::milliseconds beat{100};
// How often a supervisor that was told to stop is asked for a sign that it responds.
constexpr std::chrono::seconds time_between_signs{5};

struct StopOptions {
  std::vector<std::string> jobs;
  bool all = false;
  bool now = false;
};

// Carries on with the other jobs after a failure, and has the exit status for all.
class EachJob {
 public:
  explicit EachJob(base::Log& log) : log_(log) {}

  // Whether `step` went well; what it throws is reported.
  bool attempt(const std::function<void()>& step) {
    try {
      step();
      return true;
    } catch (const ExitError& error) {
      report(error, error.status());
    } catch (const std::exception& error) {
      report(error, exit_failed);
    }
    return false;
  }
  int status() const { return status_; }

 private:
  void report(const std::exception& error, int status) {
    log_.error(error.what());
    if (status_ == exit_done) status_ = status;
  }

  base::Log& log_;
  int status_ = exit_done;
};

bool has_ended(const JobFile& job) {
  return !job.running() && launcher::is_gone(job.supervisor);
}

// Adds a job, unless another run of the same supervisor is there.
void add_job(std::vector<JobFile>& jobs, JobFile job) {
  const auto is_same = [&job](const JobFile& each) {
    return each.id == job.id || each.supervisor == job.supervisor;
  };
  if (std::none_of(jobs.begin(), jobs.end(), is_same)) jobs.push_back(std::move(job));
}

// All jobs that run on this machine. Others may run elsewhere, where the home is the same.
std::vector<JobFile> jobs_running_here(base::Log& log) {
  std::vector<JobFile> jobs;
  const std::string here = launcher::supervisor_here("", false).host;
  for (JobFile& job : indexed_jobs()) {
    if (!is_in_use(job) || job.supervisor.folder.empty()) continue;
    if (job.supervisor.host == here)
      add_job(jobs, std::move(job));
    else
      log.warning(job.title() + ": was started on " + job.supervisor.host + "; stop it there");
  }
  return jobs;
}

std::vector<JobFile> chosen_jobs(const StopOptions& options, EachJob& each_job, base::Log& log) {
  if (options.all) return jobs_running_here(log);
  if (options.jobs.empty()) return {find_job_here("")};
  std::vector<JobFile> jobs;
  for (const std::string& name : options.jobs) each_job.attempt([&] { add_job(jobs, find_job_here(name)); });
  return jobs;
}

ExitError unreachable(const JobFile& job, const std::runtime_error& error) {
  const std::string pid = std::to_string(job.supervisor.pid);
  return ExitError(exit_failed, job.title() + ": " + error.what() + "; if it is suspended, kill -CONT " +
                                    pid + " wakes it; after kill -9 " + pid +
                                    " the agents end the ranks within the lease");
}

void tell_to_stop(const JobFile& job, bool now) {
  try {
    launcher::ask_control_server(job.supervisor.socket(), now ? "stop now" : "stop");
  } catch (const std::runtime_error& error) {
    if (!launcher::is_gone(job.supervisor)) throw unreachable(job, error);
  }
}

// A supervisor that was told to stop has no control server any more shortly before it ends: it hangs only if
// it still has that server and does not answer.
void await_sign(const JobFile& job) {
  try {
    launcher::ask_control_server(job.supervisor.socket(), "status");
  } catch (const launcher::NoAnswer& error) {
    if (!launcher::is_gone(job.supervisor)) throw unreachable(job, error);
  } catch (const std::runtime_error&) {
    return;
  }
}

void await_end(const JobFile& job, Clock::time_point deadline) {
  const base::FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, job.supervisor.pid, 0)));
  Clock::time_point next_sign = Clock::now() + time_between_signs;
  while (!launcher::is_gone(job.supervisor)) {
    if (Clock::now() >= next_sign) {
      await_sign(job);
      next_sign = Clock::now() + time_between_signs;
    }
    if (Clock::now() >= deadline)
      throw ExitError(exit_failed, job.title() + ": has not ended within " + base::describe(longest_wait) +
                                       " of being told to");
    pollfd ended{process.get(), POLLIN, 0};
    poll(&ended, 1, static_cast<int>(beat.count()));
  }
}

void say_end(const JobFile& job) {
  const JobFile end = last_run_of(job);
  const auto stopped = std::count_if(end.ranks.begin(), end.ranks.end(),
                                     [](const JobFile::Rank& rank) { return rank.state == "stopped"; });
  std::printf("%s: %s after %s, %td of %u ranks stopped by adarun; logs in %s/\n", end.title().c_str(),
              base::clean_line(end.state).c_str(),
              base::describe(std::chrono::milliseconds(end.duration_ms)).c_str(), stopped, end.world_size,
              base::clean_line(log_dir_of(end).string()).c_str());
  std::fflush(stdout);
  if (end.running() || end.state == "lost")
    throw ExitError(exit_failed,
                    end.title() + ": its supervisor has ended without writing how the job ended");
}

int run_stop(const StopOptions& options, base::Log& log) {
  if (options.all && !options.jobs.empty())
    throw ExitError(exit_usage, "stop --all and " + options.jobs.front() + ": wanted one of them");
  EachJob each_job(log);
  std::vector<JobFile> jobs = chosen_jobs(options, each_job, log);
  if (options.all && jobs.empty()) std::puts("no job runs");
  // All are told before one is waited for, so that their graces pass at the same time, and at once: a
  // supervisor that does not answer holds up none of them.
  std::map<std::string, std::future<void>> told;
  for (const JobFile& job : jobs)
    if (!has_ended(job)) told[job.id] = std::async(std::launch::async, tell_to_stop, job, options.now);
  std::erase_if(jobs, [&](const JobFile& job) {
    if (told.contains(job.id)) return !each_job.attempt([&] { told[job.id].get(); });
    std::printf("%s: has ended already: %s\n", job.title().c_str(), base::clean_line(job.state).c_str());
    return true;
  });
  const Clock::time_point deadline = Clock::now() + longest_wait;
  for (const JobFile& job : jobs)
    each_job.attempt([&] {
      await_end(job, deadline);
      say_end(job);
    });
  return each_job.status();
}

}  // namespace

void add_stop(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<StopOptions>();
  CLI::App* command = app.add_subcommand("stop", "End jobs: TERM, a grace, KILL, on every node");
  add_job_arguments(*command, options->jobs);
  command->add_flag("--all", options->all, "Every job of yours that runs on this machine");
  command->add_flag("--now", options->now, "KILL at once");
  command->footer(stop_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_stop(*options, invocation.log); });
}

}  // namespace adarun::cli
