// SPDX-License-Identifier: Apache-2.0
#include "cli/launch.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/launch_job.h"
#include "cli/pass_through.h"

namespace adarun::cli {
namespace {

constexpr const char* examples = R"(
Examples:
  adarun launch --hosts node[1-4]:8 -- ./train --lr 0.1
  adarun launch -r hccl_2s_16p.json --adasum -- python3 train.py
  adarun launch --hosts hostfile --tag-output --timeout 2h -- ./hello
  adarun launch --via local --hosts localhost:4 -- hostname

Exit status: 0 when all ranks exit 0, else the first failing rank's (128+n for signal n);
1 refused table or rule, 2 wrong usage, 124 out of time, 125 adarun could not do it,
126 program not executable, 127 program not found.)";

int run(const LaunchOptions& options, const Invocation& invocation) {
  if (invocation.trailing.empty())
    throw Quit(exit_usage,
               "launch: no program given; put it behind --, as in: adarun launch --hosts node1:8 -- ./train");
  return launch_job(options, place(options), invocation.trailing, [&options](BackgroundOutput& output) {
    return std::make_unique<PassThrough>(output, options.tag_output);
  });
}

}  // namespace

void add_launch(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<LaunchOptions>();
  CLI::App* command = app.add_subcommand("launch", "Run a program as every rank of a job, over SSH");
  add_launch_options(*command, *options);
  command->footer(examples);
  command->callback([options, &invocation] { invocation.exit_status = run(*options, invocation); });
}

}  // namespace adarun::cli
