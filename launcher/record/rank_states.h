// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "launcher/job/rank_record.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

/// The ranks of a running job as its events tell of them, and when job.json is to say so: at once when all of
/// them have started and at the first failure; other changes at most once a second. Of large jobs less often:
/// writing never takes more than a fiftieth of the time. Passive. Borrows the plan.
class RankStates {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds least_pause{1};
  static constexpr int pauses_per_write = 50;  ///< A pause is at least so many times the writing before it.

  explicit RankStates(const Plan& plan);

  const std::vector<RankRecord>& records() const { return records_; }

  void start(const protocol::Started& started);
  void end(std::uint32_t rank, const RankRecord& record);
  /// The ranks that ran on `node` are lost.
  void lose(std::uint32_t node);
  void fail();

  /// Whether there is something to write, and the time for it has come.
  bool due(Clock::time_point now) const { return urgent_ || (changed_ && now >= next_); }

  /// Whether it is due whatever the time, so that whoever is told of the same event finds it written.
  bool urgent() const { return urgent_; }

  /// It was written, or could not be, between these two moments.
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
