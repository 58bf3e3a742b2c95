// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "launcher/job/ranks.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// Tracks the ranks of a running job from its events, and decides when to write job.json: at once when all
/// ranks have started, at the first failure, and when a node is replaced; for other changes at most once a
/// second. For large jobs less often, so that writing takes at most a fiftieth of the time. Passive. Borrows
/// the plan.
class RankStates {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds least_pause{1};
  static constexpr int pauses_per_write = 50;  ///< Minimum pause, as a multiple of the last write's time.

  explicit RankStates(const Plan& plan);

  const std::vector<RankRecord>& records() const { return records_; }

  void start(const protocol::Started& started);
  void end(std::uint32_t rank, const RankRecord& record);
  /// The ranks that ran on `node` are lost.
  void lose(std::uint32_t node);
  void fail();
  /// The plan has another node in the place of one.
  void replace_node() { urgent_ = true; }

  /// Whether there is something to write and its time has come.
  bool due(Clock::time_point now) const { return urgent_ || (changed_ && now >= next_); }

  /// Whether to write at once, so that job.json is up to date for whoever reacts to the same event.
  bool urgent() const { return urgent_; }

  /// A write, successful or not, took place between these two times.
  void wrote(Clock::time_point begun, Clock::time_point ended);

 private:
  const Plan& plan_;
  std::vector<RankRecord> records_;
  std::size_t waiting_;  ///< Ranks that have not started.
  bool changed_ = false;
  bool urgent_ = false;
  bool failed_ = false;
  Clock::time_point next_ = {};
};

}  // namespace adarun::launcher
