// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <stdexcept>

#include "base/log/log.h"
#include "base/manual/help_format.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/rank_set.h"
#include "cli/arguments/roles.h"
#include "cli/commands/check/node_checks.h"
#include "cli/commands/commands.h"
#include "cli/view/ask_hosts.h"
#include "cli/view/launch_job.h"
#include "cli/view/output_view.h"

namespace adarun::cli {
namespace {

constexpr const char* launch_examples = R"(
Examples:
  adarun launch --hosts node[1-4]:8 -- ./train --lr 0.1
  adarun launch -r hccl_2s_16p.json --adasum -- python3 train.py
  adarun launch --hosts hostfile --tag-output --timeout 2h -- ./hello
  adarun launch --hosts node[01-64]:8 --exclude node07 --fold -- uname -r
  adarun launch --hosts node[1-4]:8 --stage train --stage data/ -- ./train
  adarun launch --hosts node[1-4]:8 --name run7 -- ./train
  adarun launch --via openssh --hosts node[1-4]:8 -- ./train
  adarun launch --via 'exec:ip netns exec {host}' --hosts node[1-4]:8 -- ./train
  adarun launch --hosts node[1-2]:8 --role prefill=0-7 -- ./prefill --role decode=8-15 -- ./decode
  adarun launch --spec serve.json --timeout 2h
  adarun launch -n 4 hostname

Exit status: 0 when all ranks exit 0, else the first failing rank's (128+n for signal n);
1 refused table or rule, 2 wrong usage, 124 out of time, 125 adarun could not do it,
126 program not executable, 127 program not found.)";

struct LaunchCommandOptions {
  LaunchOptions launch;
  std::vector<std::string> roles;  ///< Of --role, as they are typed.
  std::string spec_file;           ///< Of --spec, which main has read (Invocation::spec).
  bool prints_spec = false;
  OutputOptions shown;
};

void add_shown(CLI::App& command, OutputOptions& shown) {
  CLI::Option* tags = command.add_flag_callback(
      "--tag-output", [&shown] { shown.tags = OutputOptions::Tags::ranks; },
      "Put [rank] before each line on the terminal");
  tags->group(manual::everyday_group);
  command
      .add_flag_callback(
          "--fold", [&shown] { shown.tags = OutputOptions::Tags::folded; },
          "Print a line that several ranks print alike once: [0-7,12] text")
      ->excludes(tags);
  const auto take = [&shown](const std::string& text) {
    try {
      shown.only = parse_ranks(text);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError("--show", error.what());
    }
  };
  add_parsed(command, "--show", "RANKS", "Show these ranks alone, such as 0,3 or 0-7; the logs have all",
             take);
}

void require_shown_ranks(const OutputOptions& shown, const launcher::Placement& placement) {
  const std::size_t world = ranktable::device_count(placement.table);
  if (!shown.only.empty() && *shown.only.rbegin() >= world)
    throw ExitError(exit_usage, "launch: --show: rank " + std::to_string(*shown.only.rbegin()) +
                                    " of a job of " + std::to_string(world) + ": its ranks begin at 0");
}

int run_launch(LaunchCommandOptions options, const CLI::App& command, const Invocation& invocation) {
  const JobPrograms programs = read_programs(options.roles, invocation);
  require_options_fit(programs.given.roles, options.launch);
  if (options.prints_spec) {
    std::fputs(spec_text(command, programs.given, programs.program).c_str(), stdout);
    return exit_done;
  }
  launcher::Placement placement = place(
      options.launch, [&options](std::vector<launcher::Host>& hosts) { ask_devices(hosts, options.launch); });
  require_shown_ranks(options.shown, placement);
  options.launch.roles = roles_on(programs.given, placement);
  settle_min_nodes(options.launch, placement);
  if (options.launch.spares.exclude_unfit && !options.launch.dry_run) {
    const launcher::Placement wanted = placement;
    placement =
        fit_nodes(options.launch, placement, programs.program.empty() ? "" : programs.program.front());
    or_exit(exit_usage, [&] { launcher::require_roles_fit(options.launch.roles, placement, wanted); });
  }
  const int status = launch_job(
      options.launch, placement, programs.first(),
      [&options](BackgroundOutput& output) { return std::make_unique<OutputView>(output, options.shown); });
  if (status == exit_not_found && !invocation.if_not_found.empty())
    invocation.log.error("launch: " + invocation.if_not_found);
  return status;
}

void add_spec_options(CLI::App& command, LaunchCommandOptions& options) {
  add_text(command, "--spec", options.spec_file, "FILE",
           "Take the options and the programs of the job from this JSON file; those given here go first");
  command.add_flag("--print-spec", options.prints_spec,
                   "Print such a file for this command line, and run nothing");
}

}  // namespace

void add_launch(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<LaunchCommandOptions>();
  CLI::App* command = app.add_subcommand("launch", "Run a program as every rank of a job, over SSH");
  options->launch.log = &invocation.log;
  add_launch_options(*command, options->launch);
  command->option_defaults()->group(where_group);
  add_roles(*command, options->roles);
  add_spec_options(*command, *options);
  command->option_defaults()->group(output_group);
  add_shown(*command, options->shown);
  command->footer(launch_examples);
  command->callback([options, command, &invocation] {
    invocation.exit_status = run_launch(*options, *command, invocation);
  });
}

}  // namespace adarun::cli
