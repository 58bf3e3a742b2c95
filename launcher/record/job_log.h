// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/log/log.h"
#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// Writes a job's decisions to a debug log: its plan, failures in the order of arrival, ranks that are
/// examined, delayed output, the end. Program arguments and values of variables are not logged: they may be
/// secret. Borrows the constructor's arguments.
class JobLog : public JobObserver {
 public:
  using Clock = std::chrono::steady_clock;

  /// `reader`: the observer that must keep up with the output (has_room()).
  JobLog(const Plan& plan, const JobObserver& reader, base::Log& log);

  void on_plan_sent() override;
  void on_examined(const ExaminedRank& examined) override;
  void on_failure(const Failure& failure) override;
  void on_members(const protocol::Members& members, const std::string& why) override;
  void on_staging(const StageProgress& progress) override;
  void on_tick() override { look_at_reader(Clock::now()); }

  /// Logs when output has been held on the nodes for a second or more.
  void look_at_reader(Clock::time_point now);

  /// Call after the job.
  void end(const JobReport& report);

 private:
  const JobObserver& reader_;
  base::Log& log_;
  std::optional<Clock::time_point> held_up_since_;
  bool told_held_up_ = false;
};

}  // namespace adarun::launcher
