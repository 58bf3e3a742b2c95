// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/restarts.h"
#include "launcher/transport/ssh_options.h"
#include "launcher/wire/messages.h"

namespace CLI {
class App;
}

namespace adarun::cli {

enum class Via { ssh, local };

/// What `launch` and `train` let the user say, with the defaults of the manual.
struct LaunchOptions {
  std::string table_file;
  std::string hosts;
  std::string exclude;   ///< Hosts of the list that are left out.
  std::string map_file;  ///< Which host a server_id of the table stands for.
  Via via = Via::ssh;
  bool adasum = false;
  wire::Mpi mpi = wire::Mpi::auto_;
  std::vector<std::string> environment;
  std::string environment_file;
  std::string workdir;
  std::string log_dir = "log_output";
  std::string job_index;  ///< Folder of all jobs; empty: the user's.
  bool tag_output = false;
  bool dry_run = false;
  std::optional<std::chrono::milliseconds> timeout;
  std::chrono::milliseconds connect_timeout{20'000};
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds grace{5'000};
  int fanout = 64;
  Restarts restarts;
  launcher::SshOptions ssh;
  std::string agent;  ///< Path of adarun-agent on every node; empty: beside this program.
};

/// Adds the options to a command.
void add_launch_options(CLI::App& command, LaunchOptions& options);

/// "10", "10s", "500ms", "2m", "1h" (a plain number is seconds). Nothing where it is no such text.
std::optional<std::chrono::milliseconds> parse_duration(const std::string& text);

/// The user's variables as "NAME=VALUE", the file's before those of --env. `--env NAME` takes the value from
/// this process. Throws Quit with the status for wrong usage.
std::vector<std::string> user_environment(const LaunchOptions& options);

}  // namespace adarun::cli
