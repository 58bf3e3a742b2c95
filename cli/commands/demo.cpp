// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/output_folder.h"
#include "cli/commands/commands.h"
#include "cli/commands/train.h"
#include "cli/view/demo_host.h"
#include "cli/view/launch_job.h"
#include "cli/view/loss_view.h"
#include "launcher/hosts/host_words.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* demo_help = R"(
Starts an sshd of its own on loopback addresses (own keys, own configuration, all of it in one folder), makes a
rank table of 2 nodes x 8 ranks, trains LeNet-5 on digits that the trainer draws itself, gradients combined by
AdaSum, and shows the loss. Leaves one folder behind, with the logs; no process.

Examples:
  adarun demo
  adarun demo --dir /tmp/adarun-demo -- --epochs 3)";

struct DemoOptions {
  std::string dir = "adarun-demo";
};

LaunchOptions launch_options(const fs::path& dir, const DemoHost& host, base::Log& log) {
  LaunchOptions launch;
  launch.log = &log;
  launch.table_file = dir / "rank_table.json";
  launch.ssh.config_file = fs::proximate(host.ssh_config());
  launch.adasum = true;
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

void say_what_next(const LaunchOptions& launch) {
  const std::string logs = launch.log_dir;
  std::printf(
      "\nLogs of all ranks, the rank table and the job's events are in %s/\n"
      "Next:\n"
      "  adarun monitor %s --once       the run in a few lines\n"
      "  adarun logs %s --rank 3        what one rank printed\n"
      "  adarun train --hosts node[1-2]:8   the same on your nodes\n",
      logs.c_str(), logs.c_str(), logs.c_str());
}

int run_demo(const DemoOptions& options, const Invocation& invocation) {
  const fs::path dir = fs::path(options.dir).lexically_normal();
  const base::OutputFolder folder(dir);  // Not another user's: keys will be there.
  std::printf("Starting an sshd for this demo on %s and %s ...\n", demo_addresses[0], demo_addresses[1]);
  std::fflush(stdout);
  const DemoHost host(fs::absolute(dir));
  write_table(dir / "rank_table.json", {demo_addresses.begin(), demo_addresses.end()});
  const LaunchOptions launch = launch_options(dir, host, invocation.log);
  std::vector<std::string> argv{trainer_program(""), "--eval"};
  argv.insert(argv.end(), invocation.trailing.begin(), invocation.trailing.end());
  std::printf("$ adarun train -r %s --ssh-config %s --log-dir %s -- --eval\n", launch.table_file.c_str(),
              launch.ssh.config_file.c_str(), launch.log_dir.c_str());
  std::fflush(stdout);
  const int status = launch_job(launch, place(launch), argv, loss_view(invocation.color, 0));
  if (status == exit_done) say_what_next(launch);
  return status;
}

}  // namespace

void add_demo(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<DemoOptions>();
  CLI::App* command = app.add_subcommand(
      "demo", "The main job on this machine: 16 ranks over SSH, with nothing to configure");
  command->add_option("--dir", options->dir, "Folder for everything it writes (default: adarun-demo)")
      ->type_name("DIR");
  command->footer(demo_help);
  command->callback([options, &invocation] { invocation.exit_status = run_demo(*options, invocation); });
}

}  // namespace adarun::cli
