// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/node_options.h"
#include "cli/options/rank_counts.h"
#include "cli/options/restarts.h"
#include "cli/options/spares.h"
#include "diagnostics/log.h"
#include "launcher/plan/role.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/messages.h"
#include "launcher/record/job_index.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// How much adarun reports: failures only; warnings as well; each step; debug messages.
enum class Verbosity { quiet, usual, verbose, debug };

/// Which driver is to show a rank its own device alone.
enum class VisibleDevices { none, cuda, ascend, rocm };

/// Which ranks read this process's stdin; the others read /dev/null.
enum class StdinReaders {
  by_kind,  ///< As its kind says: see stdin_readers().
  none,
  first,         ///< Rank 0.
  first_of_mpi,  ///< Rank 0, if its program is linked with an MPI library.
  all,
};

/// The options of `launch` and `train`, with their documented defaults.
struct LaunchOptions : NodeOptions {
  std::string table_file;
  std::string map_file;  ///< File that maps each server_id of the table to a host.
  RankCounts counts;
  bool standalone = false;   ///< On this machine alone.
  bool runs_ranks = false;   ///< The command starts ranks, and takes `counts`.
  bool reads_groups = true;  ///< Whether the program reads server_group tables; the trainer does not.
  std::vector<launcher::Role> roles;  ///< Of --role, with their programs; none: all ranks run one program.
  bool adasum = false;
  launcher::protocol::Mpi mpi = launcher::protocol::Mpi::auto_;
  std::vector<std::string> environment;
  std::string environment_file;
  VisibleDevices visible_devices = VisibleDevices::none;
  std::string workdir;
  std::vector<std::string> stage;  ///< "FILE" or "FILE:DEST".
  std::string log_dir = launcher::default_log_dir;
  std::optional<std::uint64_t> log_limit;  ///< Limit of each rank's log, in bytes.
  std::string job_index;                   ///< Folder of all jobs; empty: the user's default.
  std::string trace_file;                  ///< File for a trace of the start; empty: none.
  bool dry_run = false;
  /// The end report as JSON on stdout, all else on stderr; for a dry run, the plan as JSON.
  bool json = false;
  bool detach = false;
  std::string name;                                      ///< Of the job; empty: none.
  std::optional<std::chrono::milliseconds> given_lease;  ///< The user's value; `lease` is set from it.
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::chrono::milliseconds> hang_timeout;
  std::optional<std::size_t> min_ranks;  ///< So many go on when others end; none: all are needed.
  int rank_restarts = 0;                 ///< How often ranks that those go on without are started again.
  std::chrono::milliseconds grace = launcher::default_grace;
  launcher::protocol::ProcessLimits process_limits;
  StdinReaders stdin_readers = StdinReaders::by_kind;
  bool reads_stdin = true;  ///< Whether the program may read stdin unasked; the trainer does not.
  Restarts restarts;
  SpareOptions spares;
  Verbosity verbosity = Verbosity::usual;

  /// Whether another attempt may follow one that has failed: the agents of its nodes stay for it.
  bool keeps_agents() const { return restarts.most > 0 || spares.any(); }

  /// Whether spares join the ranks that go on when a node is lost.
  bool spares_join() const { return min_ranks && !spares.spares.empty(); }
};

/// Adds the options that select where to run: --rank-table, --hosts, --exclude, --map.
void add_where(CLI::App& command, LaunchOptions& options);

/// The lowest level that is shown.
diagnostics::Level level_of(Verbosity verbosity);

/// The first of the groups in which --help shows launch options.
inline constexpr const char* where_group = "Where, and how many ranks";

/// The last of the groups in which --help shows launch options; options added afterwards join it.
inline constexpr const char* output_group = "Output";

/// Adds all launch options to a command, in groups.
void add_launch_options(CLI::App& command, LaunchOptions& options);

/// Which ranks read stdin, where the user does not say so, by what this process's own is: rank 0 reads a
/// regular file; of a pipe or a socket, which can be read only once and may be another's (a shell loop's),
/// a rank 0 of MPI; of all else, such as a terminal, none.
StdinReaders stdin_readers(const LaunchOptions& options);

/// The variables by which that driver is told.
std::vector<std::string> names_of(VisibleDevices devices);

/// The user's variables as "NAME=VALUE", those of the file before those of --env. `--env NAME` takes the
/// value from this process. Throws Quit with exit_usage.
std::vector<std::string> user_environment(const LaunchOptions& options);

}  // namespace adarun::cli
