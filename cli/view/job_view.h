// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "cli/console/background_output.h"
#include "cli/console/terminal_share.h"
#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"

namespace adarun::cli {

/// Shows a job to the user while it runs. Borrows the output.
class JobView : public launcher::JobObserver {
 public:
  explicit JobView(BackgroundOutput& output) : output_(output) {}

  BackgroundOutput& output() const { return output_; }
  bool has_room() const override { return output_.has_room(); }

  /// Whether to show lines of a rank on this stream; false if it is a terminal that is too slow for them.
  bool shows(std::uint32_t rank, std::size_t bytes, std::FILE* stream);

  /// Tells the user what was not shown. Call often, and with `last` at the end.
  enum class Notice { now_and_then, last };
  void say_what_was_not_shown(Notice notice);

  /// Whether it redraws a part of the terminal in place, so that nothing else may write to it.
  virtual bool draws_in_place() const { return false; }

  /// Call before the first connection, and after the job's end.
  virtual void begin(const launcher::Plan& plan) = 0;
  virtual void end() = 0;
  /// Prints a message of adarun itself, between or above the other output.
  virtual void say(const std::string& line) = 0;

 private:
  BackgroundOutput& output_;
  TerminalShare share_;
};

}  // namespace adarun::cli
