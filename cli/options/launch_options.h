// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/node_options.h"
#include "cli/options/restarts.h"
#include "diagnostics/log.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/messages.h"
#include "launcher/record/job_index.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// How much adarun says of its own: failures, warnings as well, each step, or what helps to find a fault.
enum class Verbosity { quiet, usual, verbose, debug };

/// What `launch` and `train` let the user say, with the defaults of the manual.
struct LaunchOptions : NodeOptions {
  std::string table_file;
  std::string map_file;  ///< Which host a server_id of the table stands for.
  bool adasum = false;
  launcher::protocol::Mpi mpi = launcher::protocol::Mpi::auto_;
  std::vector<std::string> environment;
  std::string environment_file;
  std::string workdir;
  std::vector<std::string> stage;  ///< "FILE" or "FILE:DEST".
  std::string log_dir = launcher::default_log_dir;
  std::optional<std::uint64_t> log_limit;  ///< Of each rank's log, in bytes.
  std::string job_index;                   ///< Folder of all jobs; empty: the user's.
  std::string trace_file;  ///< Where the time of the start went is told there; empty: nowhere.
  bool dry_run = false;
  bool json = false;  ///< The end report as JSON on stdout, all else on stderr; of a dry run, the plan.
  bool detach = false;
  std::optional<std::chrono::milliseconds> given_lease;  ///< What the user asked for; `lease` follows it.
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::chrono::milliseconds> hang_timeout;
  std::chrono::milliseconds grace = launcher::default_grace;
  launcher::protocol::ProcessLimits process_limits;
  Restarts restarts;
  Verbosity verbosity = Verbosity::usual;
};

/// Adds those that say where to run: --rank-table, --hosts, --exclude, --map.
void add_where(CLI::App& command, LaunchOptions& options);

/// The least that is shown.
diagnostics::Level level_of(Verbosity verbosity);

/// Adds all of them to a command.
void add_launch_options(CLI::App& command, LaunchOptions& options);

/// The user's variables as "NAME=VALUE", the file's before those of --env. `--env NAME` takes the value from
/// this process. Throws Quit with the status for wrong usage.
std::vector<std::string> user_environment(const LaunchOptions& options);

}  // namespace adarun::cli
