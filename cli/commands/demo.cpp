// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/output_folder.h"
#include "base/process.h"
#include "base/shell_word.h"
#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/commands.h"
#include "cli/commands/demo/demo_host.h"
#include "cli/commands/demo/demo_rank.h"
#include "cli/commands/train.h"
#include "cli/view/launch_job.h"
#include "cli/view/loss_view.h"
#include "launcher/hosts/host_words.h"
#include "launcher/transport/local/local_reach.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* demo_help = R"(
Starts an sshd of its own on loopback addresses (own keys, own configuration, all of it in one folder), makes a
rank table of 2 nodes x 8 ranks, trains LeNet-5 on digits that the trainer draws itself, gradients combined by
AdaSum, and shows the loss. Leaves one folder behind, with the logs; no process.

Without adarun-trainer beside adarun, with --no-train and with --fail, every rank runs a program inside adarun that
trains nothing: for six seconds it prints losses of a made-up curve (behind --: --epochs N, --steps N of an epoch).
Without an sshd on this machine the ranks start without SSH, as with --via local.

Examples:
  adarun demo
  adarun demo --dir /tmp/adarun-demo -- --epochs 3
  adarun demo --no-train    needs nothing but adarun
  adarun demo --fail        how it looks if a rank fails

Exit status: as `adarun launch`; with --fail 7, which is that of rank 11.)";

struct DemoOptions {
  std::string dir = "adarun-demo";
  bool no_train = false;
  bool fail = false;
};

constexpr int failing_rank = 11;

/// What every rank runs.
struct DemoProgram {
  std::vector<std::string> argv;
  std::string why_no_trainer;  ///< Empty: it is the trainer.

  bool is_trainer() const { return why_no_trainer.empty(); }
};

std::string why_no_trainer(const DemoOptions& options) {
  if (options.no_train) return "--no-train";
  if (options.fail) return "--fail";
  return access(trainer_program("").c_str(), X_OK) == 0 ? "" : "adarun-trainer is not beside adarun";
}

// Throws ExitError if the program inside adarun does not take these words.
void check_own_words(const std::vector<std::string>& words, const std::string& why) {
  CLI::App reader;
  reader.set_help_flag();
  reader.allow_extras();
  DemoRankOptions options;
  add_demo_rank_options(reader, options);
  std::string wrong;
  try {
    reader.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    if (!reader.remaining().empty()) wrong = reader.remaining().front() + ": not known";
  } catch (const CLI::ParseError& error) {
    wrong = error.what();
    if (wrong.ends_with(" missing")) wrong = words.back() + ": wanted a value behind it";
  }
  if (!wrong.empty())
    throw ExitError(exit_usage, "demo: behind --: " + wrong +
                                    "; the program inside adarun takes --epochs N and --steps N (" + why +
                                    ")");
}

DemoProgram program_of(const DemoOptions& options, std::vector<std::string> words) {
  if (options.fail) words.insert(words.begin(), {"--fail-rank", std::to_string(failing_rank)});
  DemoProgram program{{trainer_program(""), "--eval"}, why_no_trainer(options)};
  if (!program.is_trainer()) {
    check_own_words(words, program.why_no_trainer);
    program.argv = {base::own_program(), "demo-rank"};
  }
  program.argv.insert(program.argv.end(), words.begin(), words.end());
  return program;
}

// Null, and a line for the user, where there can be none.
std::unique_ptr<DemoHost> start_host(const fs::path& dir) {
  std::printf("Starting an sshd for this demo on %s and %s ...\n", demo_addresses[0], demo_addresses[1]);
  std::fflush(stdout);
  try {
    return std::make_unique<DemoHost>(dir);
  } catch (const std::runtime_error& error) {
    std::printf("%s: the ranks start without SSH, as with --via local\n", error.what());
    return nullptr;
  }
}

LaunchOptions launch_options(const fs::path& dir, const DemoHost* host, base::Log& log) {
  LaunchOptions launch;
  launch.log = &log;
  launch.table_file = dir / "rank_table.json";
  if (host == nullptr)
    launch.reach = launcher::local_reach();
  else
    launch.ssh.config_file = fs::proximate(host->ssh_config());
  launch.stdin_readers = launcher::StdinReaders::none;
  launch.log_dir = dir / launch.log_dir;
  launch.job_index = dir / "jobs";
  return launch;
}

void write_table(const fs::path& file, const std::vector<std::string>& addresses) {
  constexpr int devices_per_node = 8;
  std::vector<launcher::Host> hosts;
  hosts.reserve(addresses.size());
  for (const std::string& address : addresses)
    hosts.push_back({address, launcher::first_devices(devices_per_node), "", 0});
  ranktable::write_file(file, ranktable::write(launcher::table_of(hosts)));
}

// The command that starts the same job, behind a prompt.
std::string shown_command(const LaunchOptions& launch, const DemoProgram& program) {
  std::vector<std::string> words{"adarun", program.is_trainer() ? "train" : "launch", "-r",
                                 launch.table_file};
  if (launch.reach->is_local())
    words.insert(words.end(), {"--via", "local"});
  else
    words.insert(words.end(), {"--ssh-config", launch.ssh.config_file});
  words.insert(words.end(), {"--log-dir", launch.log_dir, "--"});
  words.insert(words.end(), program.argv.begin() + (program.is_trainer() ? 1 : 0), program.argv.end());
  std::string text = "$";
  for (const std::string& word : words) text += " " + base::readable_word(word);
  return text;
}

void say_what_next(const LaunchOptions& launch, const DemoProgram& program, int status) {
  const std::string logs = base::readable_word(launch.log_dir);
  const bool failed = status != exit_done;
  if (failed)
    std::printf(
        "\nRank %d was made to fail; above is how adarun reports a failure: the rank, its last lines\n",
        failing_rank);
  std::printf(
      "\nLogs of all ranks, the rank table and the job's events are in %s/\n"
      "Next:\n"
      "  adarun monitor %s --once       the run in a few lines\n"
      "  adarun logs %s --rank %-2d       %s\n"
      "  %s\n",
      launch.log_dir.c_str(), logs.c_str(), logs.c_str(), failed ? failing_rank : 3,
      failed ? "what the rank printed that failed" : "what one rank printed",
      program.is_trainer() ? "adarun train --hosts node[1-2]:8   the same on your nodes"
                           : "adarun launch --hosts node[1-2]:8 -- ./train.sh   your program on your nodes");
}

// Not another user's: keys will be there. Throws ExitError.
base::OutputFolder open_folder(const fs::path& dir) {
  try {
    return base::OutputFolder(fs::absolute(dir));
  } catch (const std::runtime_error& error) {
    throw ExitError(exit_could_not_start, std::string("demo: ") + error.what() + "; --dir DIR names another");
  }
}

int run_demo(const DemoOptions& options, const Invocation& invocation) {
  const DemoProgram program = program_of(options, invocation.trailing);
  const fs::path dir = fs::path(options.dir).lexically_normal();
  const base::OutputFolder folder = open_folder(dir);
  const std::unique_ptr<DemoHost> host = start_host(fs::absolute(dir));
  write_table(dir / "rank_table.json", {demo_addresses.begin(), demo_addresses.end()});
  LaunchOptions launch = launch_options(dir, host.get(), invocation.log);
  launch.adasum = program.is_trainer();
  if (!program.is_trainer())
    std::printf("%s: every rank runs a program inside adarun that trains nothing, its losses are made up\n",
                program.why_no_trainer.c_str());
  std::printf("%s\n", shown_command(launch, program).c_str());
  std::fflush(stdout);
  const std::string last_line =
      program.is_trainer() ? "" : "note        made-up losses, of a program that trains nothing";
  const int status =
      launch_job(launch, place(launch), program.argv, loss_view(invocation.color, 0, last_line));
  if (status == (options.fail ? demo_failure_status : exit_done)) say_what_next(launch, program, status);
  return status;
}

}  // namespace

void add_demo(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<DemoOptions>();
  CLI::App* command = app.add_subcommand(
      "demo", "The main job on this machine: 16 ranks over SSH, with nothing to configure");
  add_text(*command, "--dir", options->dir, "DIR", "Folder for everything it writes (default: adarun-demo)");
  command->add_flag("--no-train", options->no_train,
                    "Ranks that train nothing, in place of adarun-trainer (default where it is missing)");
  command->add_flag("--fail", options->fail, "Let rank 11 of them fail in the middle; implies --no-train");
  command->footer(demo_help);
  command->callback([options, &invocation] { invocation.exit_status = run_demo(*options, invocation); });
}

}  // namespace adarun::cli
