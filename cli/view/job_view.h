// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <unordered_map>

#include "cli/console/background_output.h"
#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"

namespace adarun::cli {

/// Decides which output of the ranks to show on a terminal. A terminal slower than the ranks would lag
/// further and further behind, and the effect of Ctrl-C would be visible only minutes later. So output of
/// ranks that print too much is left out, while ranks that print little are still shown. Passive.
class TerminalShare {
 public:
  using Clock = std::chrono::steady_clock;

  /// When `room` or more bytes wait to be written, only ranks that print at most `little` bytes per `beat`
  /// are shown; from `most` bytes on, none.
  static constexpr std::size_t room = 128U << 10U;
  static constexpr std::size_t most = 1U << 20U;
  static constexpr std::size_t little = 4U << 10U;
  static constexpr std::chrono::milliseconds beat{100};
  static constexpr std::chrono::seconds between_notices{1};

  /// Whether to show lines of a rank, `bytes` long, while `waiting` bytes wait to be written.
  bool takes(std::uint32_t rank, std::size_t bytes, std::size_t waiting, Clock::time_point now);

  /// A line for the user about what was left out since the last notice; empty if nothing was, or if the last
  /// notice was less than `between_notices` ago.
  std::string take_notice(Clock::time_point now);

  /// The same, without the time limit.
  std::string last_notice();

 private:
  std::unordered_map<std::uint32_t, std::size_t> printed_;  ///< Bytes by rank, in this beat.
  Clock::time_point next_beat_{};
  Clock::time_point next_notice_{};
  std::size_t left_out_ = 0;
  std::set<std::uint32_t> whose_;
};

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
