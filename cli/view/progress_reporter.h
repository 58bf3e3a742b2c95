// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/launch_options.h"
#include "cli/console/print.h"
#include "cli/view/job_view.h"
#include "launcher/stage/staging.h"
#include "launcher/transport/loop/connect_times.h"

namespace adarun::cli {

/// Progress of staging, as a status line for a terminal.
std::string staging_line(const launcher::StageProgress& progress);

/// Result of staging: "staged 1 file (100 MB) on 8 nodes in 1.2 s: 800 MB sent".
std::string describe_staging(const launcher::StageProgress& progress, std::uint64_t bytes,
                             std::chrono::milliseconds time);

/// Reports the progress of a job to the user: each step if verbose, only notices by default, nothing if
/// quiet. Failures are reported elsewhere. Borrows the constructor's arguments.
class ProgressReporter : public launcher::JobObserver {
 public:
  /// Writes to the log of `options`, whose console output goes to the view.
  ProgressReporter(const launcher::Plan& plan, const LaunchOptions& options, JobView& view)
      : plan_(plan), options_(options), view_(view), times_(plan.nodes.size()), line_(view.output().err()) {}

  /// Call before the first connection, and after the job's end.
  void begin();
  void end(const launcher::JobReport& report);

  void on_step(std::uint32_t node, const launcher::LinkStep& step) override { times_[node].take(step); }
  void on_greeted(std::uint32_t node, const launcher::protocol::Hello& hello) override;
  void on_lost(std::uint32_t node, const std::string& reason) override;
  void on_plan_sent() override { starting_since_ = Clock::now(); }
  void on_staging(const launcher::StageProgress& progress) override;
  void on_ready(std::uint32_t node, const launcher::protocol::Ready& ready) override;
  void on_started(const launcher::protocol::Started& started) override;
  void on_output(std::uint32_t rank, launcher::protocol::Stream stream, std::string_view bytes) override;
  void on_exited(std::uint32_t rank, const launcher::RankRecord& record) override;
  void on_stopping(const launcher::protocol::Stop& stop) override;
  void on_forwarded(int signal) override;
  void on_failure(const launcher::Failure& failure) override;
  /// Shows only the foremost rank; the log folder has all of them.
  void on_examined(const launcher::ExaminedRank& examined) override;
  void on_notice(const std::string& text) override;

 private:
  using Clock = std::chrono::steady_clock;

  void tell(const std::string& line) { options_.log->info(line); }
  void tell(std::uint32_t node, const std::string& line);
  bool draws_line() const;
  void show_connecting();
  void no_longer_connecting();
  void show_starting();
  const std::string& name_of(std::uint32_t node) const { return plan_.nodes[node].host.name; }

  const launcher::Plan& plan_;
  const LaunchOptions& options_;
  JobView& view_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point staging_since_ = {};
  Clock::time_point starting_since_ = {};
  std::vector<launcher::ConnectTimes> times_;  ///< By node.
  std::size_t connected_ = 0;
  std::size_t started_ = 0;
  bool has_output_ = false;
  TerminalLine line_;  ///< Progress of connecting, staging, and starting ranks.
};

}  // namespace adarun::cli
