// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/rank_record.h"

namespace adarun::launcher {

/// A job's end.
struct JobReport {
  std::vector<RankRecord> ranks;
  std::vector<Failure> failures;  ///< The first one, then what stands for itself; empty: all ranks exited 0.
  std::chrono::milliseconds duration{0};
  std::vector<std::uint32_t> beside = {};     ///< Ranks that failed about when the first one did, as far as
                                              ///< clocks tell.
  std::vector<std::uint32_t> followers = {};  ///< Ranks that failed by themselves after it.

  /// As the manual of exit statuses has it: 0, the first failing rank's, 124, 125, 126, 127, 128+n.
  int exit_status() const;

  std::size_t count(RankState state) const;

  /// Whether its end was asked for, or its time was over.
  bool was_cut_short() const;
};

}  // namespace adarun::launcher
