// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/arguments/job_name.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/commands.h"
#include "cli/console/print.h"
#include "cli/jobs/find_job.h"
#include "launcher/supervisor/control_server.h"
#include "launcher/supervisor/resize_request.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = launcher::ResizeState::Kind;

constexpr const char* resize_examples = R"(
The nodes change when the job starts its ranks again: at its next restart, or with --now. New nodes are connected first,
while the job runs; if one cannot be, nothing changes. With --now every process of the job then gets TERM, and KILL
after its --grace: time for a checkpoint. A node that was lost comes back only so.

Examples:
  adarun resize --add node3:8                 at the next restart of the only job that runs
  adarun resize --remove node2 --now          the job continues without it at once
  adarun resize 20261121-104502 --add node[3-4] --remove node2 --now

Exit status: 0 it is accepted, or with --now done; 1 it is refused, or a node cannot be reached; 3 that cannot be told.)";

// From the request to the start of the new ranks; includes the grace, which may be long.
constexpr std::chrono::minutes longest_resize{10};
constexpr std::chrono::milliseconds resize_beat{100};

struct ResizeCommand {
  std::string job;
  launcher::ResizeRequest request;
};

launcher::ResizeState ask(const JobFile& job, const std::string& request) {
  try {
    if (const auto state =
            launcher::resize_state(launcher::ask_control_server(job.supervisor.socket(), request)))
      return *state;
  } catch (const std::runtime_error& error) {
    if (launcher::is_gone(job.supervisor)) throw ExitError(exit_failed, job.title() + ": has ended");
    throw ExitError(exit_failed, job.title() + ": " + error.what());
  }
  throw ExitError(exit_failed, job.title() + ": is between two attempts, or ends; try again");
}

// Between two attempts the supervisor does not answer.
launcher::ResizeState await_result(const JobFile& job) {
  const Clock::time_point deadline = Clock::now() + longest_resize;
  TerminalLine shown(stderr);
  while (Clock::now() < deadline) {
    std::this_thread::sleep_for(resize_beat);
    try {
      launcher::ResizeState state = ask(job, launcher::how_the_resize_stands);
      if (state.kind != Kind::pending) return state;
      shown.show("adarun: " + job.title() + ": " + base::clean_line(state.text) + " ...");
    } catch (const ExitError&) {
      if (launcher::is_gone(job.supervisor)) throw;
    }
  }
  throw ExitError(exit_failed, job.title() + ": its new ranks do not run after " +
                                   base::describe(longest_resize) + "; adarun status tells how it stands");
}

int run_resize(const ResizeCommand& options) {
  if (options.request.add.empty() && options.request.remove.empty())
    throw ExitError(exit_usage, "resize: say what changes: --add LIST or --remove LIST");
  const JobFile job = find_job_here(options.job);
  if (!job.running() && launcher::is_gone(job.supervisor))
    throw ExitError(exit_no, job.title() + ": has ended: " + job.state);
  launcher::ResizeState state = ask(job, launcher::to_line(options.request));
  if (state.kind == Kind::pending && options.request.now) state = await_result(job);
  const std::string text = job.title() + ": " + state.text;
  if (state.kind == Kind::refused) throw ExitError(exit_no, text);
  std::printf("%s\n", base::clean_line(text).c_str());
  return exit_done;
}

}  // namespace

void add_resize(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ResizeCommand>();
  CLI::App* command = app.add_subcommand("resize", "Add nodes to a running job, or remove some");
  add_job_argument(*command, options->job);
  add_text(*command, "--add", options->request.add, "LIST",
           "Hosts that join, as in --hosts: node3:8 or node[3-6]:8");
  add_text(*command, "--remove", options->request.remove, "LIST", "Hosts that leave");
  command->add_flag("--now", options->request.now, "Do not wait for the next restart: end the ranks now");
  command->footer(resize_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_resize(*options); });
}

}  // namespace adarun::cli
