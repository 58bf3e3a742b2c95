// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "diagnostics/log.h"
#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// Tells a log, for debugging, what a job decides: its plan, failures in the order in which they were heard
/// of, ranks that are looked at, output that is held up, the end. No arguments of programs and no values of
/// variables, which may be secret. Borrows all it is given.
class JobLog : public JobObserver {
 public:
  using Clock = std::chrono::steady_clock;

  /// `reader`: who has to keep up with the output (has_room()).
  JobLog(const Plan& plan, const JobObserver& reader, diagnostics::Log& log);

  void on_plan_sent() override;
  void on_examined(const ExaminedRank& examined) override;
  void on_failure(const Failure& failure) override;
  void on_staging(const StageProgress& progress) override;
  void on_tick() override { look_at_reader(Clock::now()); }

  /// Output that stays with the nodes for a second or more is told of.
  void look_at_reader(Clock::time_point now);

  /// After the job.
  void end(const JobReport& report);

 private:
  const JobObserver& reader_;
  diagnostics::Log& log_;
  std::optional<Clock::time_point> held_up_since_;
  bool told_held_up_ = false;
};

}  // namespace adarun::launcher
