// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "launcher/plan/plan.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// Why a job ended early. The first one is the one that counts.
struct Failure {
  enum class Kind {
    could_not_start,  ///< A node did not connect or could not start its ranks.
    not_executable,
    not_found,
    rank_failed,
    aborted,  ///< MPI_Abort.
    node_lost,
    timed_out,    ///< The job's time is over.
    hung,         ///< No rank has printed anything for too long.
    interrupted,  ///< By a signal to the launcher.
    broken,       ///< The launcher itself could not go on.
  };
  Kind kind = Kind::could_not_start;
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> node;
  int code = 0;         ///< Exit code (0: of a rank that left MPI without a word), or MPI_Abort's argument.
  int signal = 0;       ///< The rank's, or the launcher's where interrupted.
  std::string message;  ///< One line: who, where and why.

  /// The status that the job exits with.
  int exit_status() const;
};

/// "rank_failed", "node_lost", ...
const char* name_of(Failure::Kind kind);

/// A failure of one node, whose name the message begins with.
Failure node_failure(const Plan& plan, std::uint32_t node, Failure::Kind kind, const std::string& why);

/// A node could not do its part.
Failure node_failure(const Plan& plan, std::uint32_t node, const protocol::Failed& failed);

/// A failure of one rank: "rank 3 on node1 (device 3)" and `how`.
Failure rank_failure(const Plan& plan, std::uint32_t rank, Failure::Kind kind, const std::string& how);

/// A signal came that asks the launcher for the job's end.
Failure interrupt_failure(int signal);

/// The whole job was given `time`.
Failure timeout_failure(std::chrono::milliseconds time);

/// "rank 3 on node1 (device 3)".
std::string describe_rank(const Plan& plan, std::uint32_t rank);

}  // namespace adarun::launcher
