// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/file_descriptor.h"
#include "cli/commands/commands.h"
#include "cli/jobs/find_job.h"
#include "cli/options/place_argument.h"
#include "cli/session/control_server.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* stop_examples = R"(
Every process of the job gets TERM, then KILL after its --grace, as after Ctrl-C in a terminal.

Examples:
  adarun stop                        the only job that runs
  adarun stop 20261121-104502        a job by its id, or the beginning of it
  adarun stop --now                  KILL at once

Exit status: 0 it has ended, 3 that could not be done.)";

// Maximum time from the control server's answer to the supervisor's end; includes the grace, which may be
// long.
constexpr std::chrono::minutes longest_wait{10};
constexpr std::chrono::milliseconds beat{100};

struct StopOptions {
  std::string job;
  bool now = false;
};

void await_end(const JobFile& job) {
  const Clock::time_point deadline = Clock::now() + longest_wait;
  const base::FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, job.supervisor.pid, 0)));
  while (!launcher::is_gone(job.supervisor)) {
    if (Clock::now() >= deadline)
      throw Quit(exit_failed, "job " + job.id + ": has not ended within " + base::describe(longest_wait) +
                                  " of being told to");
    pollfd ended{process.get(), POLLIN, 0};
    poll(&ended, 1, static_cast<int>(beat.count()));
  }
}

void tell_to_stop(const JobFile& job, bool now) {
  try {
    ask_control_server(job.supervisor.socket(), now ? "stop now" : "stop");
  } catch (const std::runtime_error& error) {
    if (launcher::is_gone(job.supervisor)) return;
    const std::string pid = std::to_string(job.supervisor.pid);
    throw Quit(exit_failed, "job " + job.id + ": " + error.what() + "; if it stands still, kill -CONT " +
                                pid + " wakes it; after kill -9 " + pid +
                                " the agents end the ranks within the lease");
  }
}

int run_stop(const StopOptions& options) {
  const JobFile job = find_job_here(options.job);
  if (!job.running() && launcher::is_gone(job.supervisor)) {
    std::printf("job %s: has ended already: %s\n", base::clean_line(job.id).c_str(),
                base::clean_line(job.state).c_str());
    return exit_done;
  }
  tell_to_stop(job, options.now);
  await_end(job);
  const JobFile end = last_run_of(job);
  const auto stopped = std::count_if(end.ranks.begin(), end.ranks.end(),
                                     [](const JobFile::Rank& rank) { return rank.state == "stopped"; });
  std::printf("job %s: %s after %s, %td of %u ranks stopped by adarun; logs in %s/\n",
              base::clean_line(end.id).c_str(), base::clean_line(end.state).c_str(),
              base::describe(std::chrono::milliseconds(end.duration_ms)).c_str(), stopped, end.world_size,
              base::clean_line(log_dir_of(end).string()).c_str());
  return end.running() || end.state == "lost" ? exit_failed : exit_done;
}

}  // namespace

void add_stop(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<StopOptions>();
  CLI::App* command = app.add_subcommand("stop", "End a job: TERM, a grace, KILL, on every node");
  add_job_argument(*command, options->job);
  command->add_flag("--now", options->now, "KILL at once");
  command->footer(stop_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_stop(*options); });
}

}  // namespace adarun::cli
