// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/plan.h"

namespace adarun::launcher {

/// Where a rank is in its life.
enum class RankState {
  waiting,  ///< Not started yet.
  running,
  done,     ///< Exit code 0.
  failed,   ///< Ended by itself with another code, or by a signal that was not ours.
  stopped,  ///< Ended because the job was being stopped.
  lost,     ///< Its node is gone.
};

/// What is known of one rank.
struct RankRecord {
  RankState state = RankState::waiting;
  std::uint32_t pid = 0;
  int code = 0;
  int signal = 0;  ///< The signal that ended it, or 0.
  bool core_dumped = false;
  bool joined_mpi = false;
  std::int64_t started_ns = 0;  ///< By the node's clock.
  std::int64_t ended_ns = 0;
};

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
};

/// A job's end.
struct Report {
  std::vector<RankRecord> ranks;
  std::vector<Failure> failures;  ///< In the order they came; empty: all ranks exited 0.
  std::chrono::milliseconds duration{0};

  /// As the manual of exit statuses has it: 0, the first failing rank's, 124, 125, 126, 127, 128+n.
  int exit_status() const;

  std::size_t count(RankState state) const;

  /// Whether its end was asked for, or its time was over.
  bool was_cut_short() const;
};

/// "waiting", "running", ...
const char* name_of(RankState state);

/// "exit code 7" or "SIGSEGV (Segmentation fault), core dumped".
std::string describe_end(int code, int signal, bool core_dumped);

/// "rank 3 on node1 (device 3)".
std::string describe_rank(const Plan& plan, std::uint32_t rank);

}  // namespace adarun::launcher
