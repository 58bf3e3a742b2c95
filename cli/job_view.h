// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/background_output.h"
#include "launcher/job/observer.h"
#include "launcher/plan.h"

namespace adarun::cli {

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

  /// Shows the first one: the log folder has all.
  void on_examined(std::uint32_t rank, const std::string& text) override;

 private:
  BackgroundOutput& output_;
  bool has_shown_examined_ = false;
};

}  // namespace adarun::cli
