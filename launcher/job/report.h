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

/// How a job ended.
struct JobReport {
  std::vector<RankRecord> ranks;
  std::vector<Failure> failures;  ///< The first one, then independent ones (further nodes that could not
                                  ///< start); empty: all ranks exited 0.
  std::chrono::milliseconds duration{0};
  /// For how long what it ran may go on from then on, on nodes that are lost or have not said that it ended.
  std::chrono::milliseconds runs_on{0};
  /// Ranks that failed at the same time as the first one, within clock accuracy.
  std::vector<std::uint32_t> beside = {};
  std::vector<std::uint32_t> followers = {};  ///< Ranks that failed by themselves later.
  std::vector<std::uint32_t> left = {};       ///< Ranks that ended, and without which the job went on.
  /// Every node has refused what is asked of it: the request is wrong, and no node is to blame.
  bool is_refused = false;

  /// The documented exit status: 0, the first failing rank's, 124, 125, 126, 127, 128+n.
  int exit_status() const;

  std::size_t count(RankState state) const;

  /// Whether it was interrupted or reached its timeout.
  bool was_cut_short() const;
};

}  // namespace adarun::launcher
