// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/protocol/defaults.h"
#include "launcher/protocol/messages.h"
#include "launcher/stage/stage_list.h"

namespace adarun::launcher {

/// The most that RolePolicy::restarts may be.
inline constexpr std::size_t most_role_restarts = 1'000'000;

/// What the end of the ranks of a role means for the job.
struct RolePolicy {
  /// The job does not wait for them: once all other ranks have ended, they are ended, too.
  bool background = false;
  bool optional = false;     ///< The job continues without one that fails.
  std::size_t restarts = 0;  ///< How often those that fail are started again first, all of them together.

  bool operator==(const RolePolicy&) const = default;
};

/// Ranks that run a program of their own, in a job of several programs. They are in one MPI world with all
/// others; MPI_APPNUM is the number of their role.
struct Role {
  std::string name;
  std::vector<std::uint32_t> ranks;           ///< Ascending; never empty.
  std::vector<std::string> argv;              ///< Program and arguments; never empty.
  RolePolicy policy = {};                     ///< What the end of its ranks means for the job.
  std::vector<std::string> environment = {};  ///< "NAME=VALUE"; overrides that of the job.
  std::string workdir = {};                   ///< On every node; empty: that of the job.
};

/// The number of each rank's role, by rank; empty if there are no roles. Throws Error that names a rank which
/// is in no role, in two, or beyond the world.
std::vector<std::uint32_t> role_of_ranks(const std::vector<Role>& roles, std::size_t world_size);

/// "NAME=VALUE": ADARUN_ROLE, ADARUN_ROLE_RANK (its number among the ranks of its role, from 0) and
/// ADARUN_ROLE_SIZE, and torchrun's names for them.
std::vector<std::string> role_variables(const Role& role, std::uint32_t rank);

/// An attempt at a job before the current one.
struct EarlierAttempt {
  std::string job_id;
  std::int64_t began_ns = 0;  ///< Since the Unix epoch.
  std::chrono::milliseconds duration{0};
  std::string nodes;  ///< Their names, folded: "node[1-4]".
  std::size_t world_size = 0;
  int status = 0;           ///< The exit status that adarun would have had.
  std::string failure;      ///< The message of the first one.
  std::string change = {};  ///< Of its nodes after it: "node2 is lost; node3 joins"; empty: none.
};

/// Which driver is to show a rank its own device alone.
enum class VisibleDevices { none, cuda, ascend, rocm };

/// Which ranks read the launcher's stdin; the others read /dev/null.
enum class StdinReaders {
  by_kind,  ///< Not decided yet; a plan has none read it.
  none,
  first,         ///< Rank 0.
  first_of_mpi,  ///< Rank 0, if its program is linked with an MPI library.
  all,
};

/// Whether and when to restart a failed job as a whole.
struct Restarts {
  int most = 0;                 ///< Maximum number of restarts.
  std::set<int> never_on = {};  ///< Exit statuses of the job after which it is not restarted.
  /// Before the first restart; doubled before each further one. Zero: a second before the second one.
  std::chrono::milliseconds delay{0};
};

/// Whether a job continues when a node is lost: with a spare in its place, or without it.
struct SpareOptions {
  std::string spares = {};                    ///< A list of hosts, or how many of the list are held back.
  std::optional<std::size_t> min_nodes = {};  ///< With fewer the job ends; none: all that it began with.
  bool exclude_unfit = false;                 ///< Nodes that are unfit by `adarun check` count as lost.
  bool exclude_repeated = false;              ///< So do nodes whose ranks fail first twice.

  bool any() const { return !spares.empty() || min_nodes; }
};

/// What the user wants of a job, with the documented defaults: written by the command line, read wherever the
/// job is planned, run and recorded.
struct JobOptions {
  // The program.
  std::vector<std::string> argv = {};  ///< Program and arguments; never empty. With roles: the first one's.
  std::vector<Role> roles = {};        ///< Each rank is in one; none: all ranks run `argv`.
  std::vector<std::string> environment = {};  ///< "NAME=VALUE"; overrides everything that adarun sets.
  std::string workdir = {};                   ///< On every node; empty: where the agent starts (home).
  VisibleDevices visible_devices = VisibleDevices::none;
  protocol::Mpi mpi = protocol::Mpi::auto_;
  protocol::ProcessLimits process_limits = {};
  StdinReaders stdin_readers = StdinReaders::by_kind;
  bool adasum = false;  ///< No world that AdaSum does not take.

  // Times.
  std::chrono::milliseconds lease = default_lease;        ///< Of silence, after which either side gives up.
  std::chrono::milliseconds grace = default_grace;        ///< From TERM to KILL.
  std::optional<std::chrono::milliseconds> timeout = {};  ///< Of the whole job, with its earlier attempts.
  /// How long all ranks are silent before the job counts as hanging.
  std::optional<std::chrono::milliseconds> hang_timeout = {};

  // What the job survives.
  Restarts restarts = {};
  SpareOptions spares = {};
  std::optional<std::size_t> min_ranks = {};  ///< So many continue when others end; none: all are needed.
  int rank_restarts = 0;   ///< How often ranks that those continue without are started again.
  bool resumable = false;  ///< Agents can be reached again over another connection.

  // Its record.
  std::string name = {};                  ///< The user's name for the job; may be empty.
  std::string log_dir = default_log_dir;  ///< As the user wrote it, for messages.
  std::filesystem::path log_folder = {};  ///< The same as an absolute path, without a slash at its end.
  bool log_dir_may_move = false;          ///< To log_dir.<name or id> where a running job writes to log_dir.
  std::optional<std::uint64_t> log_limit = {};  ///< Limit of each rank's log, in bytes.
  std::string job_index = {};                   ///< Folder of all jobs; empty: the user's default.
  std::string trace_file = {};                  ///< File for a trace of the start; empty: none.

  /// Whether another attempt may follow one that has failed: the agents of its nodes stay for it.
  bool keeps_agents() const { return restarts.most > 0 || spares.any(); }

  /// Whether spares join the ranks that continue when a node is lost.
  bool spares_join() const { return min_ranks && !spares.spares.empty(); }

  /// Whether agents stay for ranks that are started again, there or elsewhere.
  bool restarts_ranks() const;
};

/// What differs from one attempt of a job to the next.
struct AttemptOptions {
  std::string job_id = {};      ///< Unique; part of folder names: letters, digits, '-'.
  std::string secret = {};      ///< 128 random bits in hexadecimal, from which unguessable names are derived.
  std::string rank_table = {};  ///< The text that ranks read; empty: that of the planned table.
  std::string table_variable = "RANK_TABLE_FILE";  ///< Names it to ranks (see table_variable()).
  StageList stage = {};
  std::vector<EarlierAttempt> earlier = {};   ///< The first one first.
  std::chrono::milliseconds timeout_used{0};  ///< By these, and the waits between them.
};

}  // namespace adarun::launcher
