// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/job/failure.h"

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

}  // namespace adarun::launcher
