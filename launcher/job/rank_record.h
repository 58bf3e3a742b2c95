// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launcher/job/node_clock.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// State of a rank. Its transitions, in Ranks:
///
///     waiting -> running                  Started
///     running -> done, failed, stopped    Exited
///     running -> failed                   Abort
///     done    -> failed                   others wait in MPI_Init for a rank that never joined
///     running -> lost                     its node is lost
///
/// A rank whose Started is missing goes from waiting to its end state; one that has aborted stays failed
/// however it exits.
enum class RankState {
  waiting,  ///< Not started yet.
  running,
  done,     ///< Exit code 0.
  failed,   ///< Ended by itself with another code, by a signal not sent by adarun, or by MPI_Abort.
  stopped,  ///< Ended by its agent because the job was being stopped.
  lost,     ///< Its node was lost.
};

/// State and end of one rank.
struct RankRecord {
  RankState state = RankState::waiting;
  std::uint32_t pid = 0;
  int code = 0;
  int signal = 0;  ///< The signal that ended it, or 0.
  bool core_dumped = false;
  std::string core;  ///< Path of the core file, if the node knows it.
  protocol::OutOfMemory out_of_memory = protocol::OutOfMemory::unknown;
  bool joined_mpi = false;
  bool left_mpi_open = false;            ///< It exited without MPI_Finalize.
  bool missed_in_mpi = false;            ///< It exited without joining MPI while others waited for it.
  std::optional<protocol::Abort> abort;  ///< Its call of MPI_Abort.
  std::int64_t started_ns = 0;           ///< By the node's clock.
  std::int64_t ended_ns = 0;    ///< By the node's clock; if it called MPI_Abort, the time of the call.
  std::optional<Moment> ended;  ///< `ended_ns` by the launcher's clock; set once the job has ended, or
                                ///< another node has the place of its node.
};

/// "waiting", "running", ...
const char* name_of(RankState state);

/// How a rank ended: "exit code 7", "SIGSEGV (Segmentation fault), core dumped: /home/ada/core.17".
std::string describe_end(const RankRecord& record);

}  // namespace adarun::launcher
