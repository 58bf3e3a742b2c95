// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/log/log.h"
#include "cli/arguments/launch_options.h"
#include "cli/console/background_output.h"
#include "cli/view/job_view.h"
#include "cli/view/launch_job.h"
#include "cli/view/progress_reporter.h"
#include "launcher/job/job_signals.h"
#include "launcher/job/observer.h"
#include "launcher/record/log_folder.h"
#include "monitor/series/step_clock.h"

namespace adarun::cli {

/// Follows the steps in the loss lines of a job's ranks.
class StepObserver : public launcher::JobObserver {
 public:
  explicit StepObserver(std::size_t world_size) : steps_(world_size) {}

  void on_output(std::uint32_t rank, launcher::protocol::Stream stream, std::string_view bytes) override {
    steps_.feed(rank, stream == launcher::protocol::Stream::out ? 0 : 1, bytes);
  }
  std::optional<std::uint64_t> step_of(std::uint32_t rank) const override { return steps_.step_of(rank); }

 private:
  monitor::StepReader steps_;
};

/// One attempt at a job as the user sees it: the view of its output, its progress, messages of the log in
/// between, its end, and with --json its result on stdout. Borrows the constructor's arguments.
class AttemptView {
 public:
  AttemptView(const launcher::Plan& plan, const LaunchOptions& options, const MakeView& make_view);

  /// Is to be told of the attempt.
  launcher::JobObserver& observer() { return observers_; }

  /// Shows no more of the ranks.
  void end() { view_->end(); }

  /// Says how the attempt has ended.
  void report(const launcher::Plan& plan, const launcher::JobReport& report, const launcher::LogFolder& logs);

  /// Waits until all of it is read, for `at_most`, and until a signal that ends the job. Tells the user if
  /// not all could be written. Returns that signal, or 0.
  int deliver(std::optional<std::chrono::seconds> at_most, const launcher::SignalGuard& signals);

 private:
  const LaunchOptions& options_;
  BackgroundOutput output_;
  std::optional<BackgroundOutput> results_;  ///< With --json: stdout, while output_ is stderr.
  std::unique_ptr<JobView> view_;
  base::Diversion log_;
  ProgressReporter progress_;
  StepObserver steps_;
  launcher::Observers observers_;
  std::string result_;  ///< To be written to results_.
  bool told_loss_ = false;
};

}  // namespace adarun::cli
