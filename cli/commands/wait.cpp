// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/file_descriptor.h"
#include "cli/arguments/job_name.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/commands.h"
#include "cli/jobs/find_job.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* wait_examples = R"(
A job that is started again by --restarts or --spare has ended when its last attempt has. On stderr each job has a line when
it has ended.

Examples:
  adarun wait                              the only job that runs
  adarun wait run7 && ./evaluate           runs ./evaluate if the job exited 0
  adarun wait lr1 lr2 --timeout 2h         both, for at most two hours

Exit status: the job's; of several jobs that of the first one named that has not ended with 0. 124 after --timeout, 125
where the supervisor of a job is gone, 2 wrong usage, 3 where there is no such job.)";

// How often a job is looked at. One of this machine that ends is seen at once.
constexpr std::chrono::seconds wait_beat{1};
constexpr int exit_timeout = 124;

struct WaitOptions {
  std::vector<std::string> jobs;
  std::optional<std::chrono::milliseconds> timeout;
};

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  constexpr std::chrono::milliseconds longest{std::chrono::minutes(1)};
  return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), longest).count());
}

// Done jobs count as ended even if their supervisor still waits for a reader of their output.
bool may_run(const JobFile& job) {
  const JobFile now = last_run_of(job);
  return now.state != "done" && is_in_use(now);
}

// Whether the job has ended by `deadline`.
bool has_ended_by(const JobFile& job, Clock::time_point deadline) {
  const bool is_here = is_of_this_machine(job);
  const base::FileDescriptor process(
      is_here ? static_cast<int>(syscall(SYS_pidfd_open, job.supervisor.pid, 0)) : -1);
  if (!is_here && may_run(job))
    std::fprintf(stderr, "adarun: %s: was started on %s; its end is seen in its log folder\n",
                 job.title().c_str(), base::clean_line(job.supervisor.host).c_str());
  while (may_run(job)) {
    if (Clock::now() >= deadline) return false;
    pollfd ended{process.get(), POLLIN, 0};  // Of none, poll() waits for the time alone.
    poll(&ended, 1, milliseconds_until(std::min(deadline, Clock::now() + wait_beat)));
    if ((ended.revents & POLLIN) != 0) return true;
  }
  return true;
}

int status_of(const JobFile& job) {
  const JobFile end = last_run_of(job);
  const auto time = end.ran_for();
  const std::string after = time ? " after " + base::describe(*time) : "";
  if (!end.status) {
    std::fprintf(
        stderr,
        "adarun: %s: its supervisor is gone; what its ranks printed since: adarun logs %s --collect\n",
        job.title().c_str(), base::clean_line(end.id).c_str());
    return exit_could_not_start;
  }
  std::fprintf(stderr, "adarun: %s: %s%s%s\n", job.title().c_str(), base::clean_line(end.state).c_str(),
               after.c_str(), *end.status == 0 ? "" : (", status " + std::to_string(*end.status)).c_str());
  return *end.status;
}

int run_wait(const WaitOptions& options) {
  std::vector<JobFile> jobs;
  for (const std::string& name : options.jobs) jobs.push_back(find_job(name));
  if (jobs.empty()) jobs.push_back(find_job(""));
  const Clock::time_point deadline =
      options.timeout ? Clock::now() + *options.timeout : Clock::time_point::max();
  int status = exit_done;
  for (const JobFile& job : jobs) {
    if (!has_ended_by(job, deadline))
      throw ExitError(exit_timeout, job.title() + ": still runs after " + base::elapsed(*options.timeout));
    const int own = status_of(job);
    if (status == exit_done) status = own;
  }
  return status;
}

}  // namespace

void add_wait(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<WaitOptions>();
  CLI::App* command = app.add_subcommand("wait", "Wait until jobs have ended, and exit as they did");
  add_job_arguments(*command, options->jobs);
  add_duration(*command, "--timeout", options->timeout,
               "Wait at most so long (default: until they have ended)");
  command->footer(wait_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_wait(*options); });
}

}  // namespace adarun::cli
