// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "launcher/plan/plan.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// Why a job ended early. The first failure determines the job's exit status.
struct Failure {
  enum class Kind {
    could_not_start,  ///< A node did not connect or could not start its ranks.
    not_executable,
    not_found,
    rank_failed,
    aborted,  ///< MPI_Abort.
    spawned,  ///< MPI_Comm_spawn.
    node_lost,
    timed_out,    ///< The job's timeout has passed.
    hung,         ///< No rank has printed anything for too long.
    interrupted,  ///< The launcher received a signal.
    resized,      ///< The user wants other nodes: the job continues with them.
    broken,       ///< The launcher itself could not continue. The last kind.
  };
  Kind kind = Kind::could_not_start;
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> node;
  int code = 0;         ///< Exit code (0: the rank exited without MPI_Finalize), or MPI_Abort's argument.
  int signal = 0;       ///< The signal that ended the rank, or that the launcher received.
  std::string message;  ///< One line: who, where and why.

  /// The status that the job exits with.
  int exit_status() const;
};

/// "rank_failed", "node_lost", ...
const char* name_of(Failure::Kind kind);

/// A failure of no node or rank.
Failure job_failure(Failure::Kind kind, const std::string& message);

/// A failure of one node; the message begins with its name.
Failure node_failure(const Plan& plan, std::uint32_t node, Failure::Kind kind, const std::string& why);

/// The failure that a node reported.
Failure node_failure(const Plan& plan, std::uint32_t node, const protocol::Failed& failed);

/// A failure of one rank: "rank 3 on node1 (device 3)" and `how`.
Failure rank_failure(const Plan& plan, std::uint32_t rank, Failure::Kind kind, const std::string& how);

/// The launcher received a signal that ends the job.
Failure interrupt_failure(int signal);

/// The job reached its timeout, `time`.
Failure timeout_failure(std::chrono::milliseconds time);

/// "rank 3 on node1 (device 3)", or "rank 3 on node1 (device 3, role decode)" in a job that has roles.
std::string describe_rank(const Plan& plan, std::uint32_t rank);

}  // namespace adarun::launcher
