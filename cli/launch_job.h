// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/background_output.h"
#include "cli/launch_options.h"
#include "launcher/job/observer.h"
#include "launcher/plan.h"

namespace adarun::cli {

/// Where a job's nodes are, and everything else that is known before a plan is made.
struct Placement {
  ranktable::Table table;
  std::vector<launcher::Host> hosts;
};

/// Reads table and hosts and applies the rules. Throws Quit: wrong usage, or a refused table.
Placement place(const LaunchOptions& options);

/// A fresh id, such as "20261121-104502-3fa9c1".
std::string new_job_id();

/// Shows a job to the user while it runs. Borrows the output.
class JobView : public launcher::JobObserver {
 public:
  explicit JobView(BackgroundOutput& output) : output_(output) {}

  BackgroundOutput& output() const { return output_; }
  bool has_room() const override { return output_.has_room(); }

  /// Before the first connection, and after the job's end.
  virtual void begin(const launcher::Plan& plan) = 0;
  virtual void end() = 0;
  /// A line of adarun's own, between or above what else is shown.
  virtual void say(const std::string& line) = 0;

 private:
  BackgroundOutput& output_;
};

/// Runs `argv` as every rank of the job and reports its end on stderr; gives the exit status.
int launch_job(const LaunchOptions& options, const Placement& placement, const std::vector<std::string>& argv,
               JobView& view);

}  // namespace adarun::cli
