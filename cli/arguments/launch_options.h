// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/log/log.h"
#include "cli/arguments/node_options.h"
#include "cli/arguments/rank_counts.h"
#include "launcher/plan/job_options.h"
#include "launcher/plan/placement.h"

namespace adarun::cli {

/// The options of `launch` and `train`, with their documented defaults: those of the job, and how the command
/// finds its nodes and reports. `environment` has the words of --env until user_environment() replaces them.
struct LaunchOptions : NodeOptions, launcher::JobOptions {
  std::string table_file;
  std::string map_file;  ///< File that maps each server_id of the table to a host.
  RankCounts counts;
  bool standalone = false;   ///< On this machine alone.
  bool resilient = false;    ///< Restarts, and fewer nodes, unless options say other values.
  bool runs_ranks = false;   ///< The command starts ranks, and takes `counts`.
  bool reads_groups = true;  ///< Whether the program reads server_group tables; the trainer does not.
  std::string environment_file;
  std::vector<std::string> stage;  ///< "FILE" or "FILE:DEST".
  bool dry_run = false;
  /// The end report as JSON on stdout, all else on stderr; for a dry run, the plan as JSON.
  bool json = false;
  bool detach = false;
  std::optional<std::chrono::milliseconds> given_lease;  ///< The user's value; `lease` is set from it.
  bool reads_stdin = true;  ///< Whether the program may read stdin unasked; the trainer does not.
  base::Level level = base::Level::warning;  ///< The lowest that is shown.
};

/// Adds the options that select where to run: --rank-table, --hosts, --exclude, --map.
void add_where(CLI::App& command, LaunchOptions& options);

/// The first of the groups in which --help shows launch options.
inline constexpr const char* where_group = "Where, and how many ranks";

/// The last of the groups in which --help shows launch options; options added afterwards join it.
inline constexpr const char* output_group = "Output";

/// Adds all launch options to a command, in groups.
void add_launch_options(CLI::App& command, LaunchOptions& options);

/// Of a job with --resilient: half of its nodes are enough, unless the user says --min-nodes, and one whose
/// ranks fail first twice is left out, unless --exclude-on says what else. Not where the job has roles, or
/// AdaSum takes no half of its ranks: that is started again on all nodes.
void settle_min_nodes(LaunchOptions& options, const launcher::Placement& placement);

/// Which ranks read stdin, where the user does not say so, by what this process's own is: rank 0 reads a
/// regular file; of a pipe or a socket, which can be read only once and may be another's (a shell loop's),
/// a rank 0 of MPI; of all else, such as a terminal, none.
launcher::StdinReaders stdin_readers(const LaunchOptions& options);

/// The user's variables as "NAME=VALUE", those of the file before those of --env. `--env NAME` takes the
/// value from this process. Throws ExitError with exit_usage.
std::vector<std::string> user_environment(const LaunchOptions& options);

}  // namespace adarun::cli
