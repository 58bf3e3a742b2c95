// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "monitor/series/run.h"
#include "monitor/series/step_clock.h"
#include "monitor/view/plain.h"
#include "monitor/view/run_view.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {

/// A block of lines at the bottom of a terminal that is redrawn in place. Each frame is one write that leaves
/// the cursor visible after the block, so that the terminal is usable whenever and however the program ends.
/// No alternate screen: the lines above stay in the scrollback. Writes nothing to the terminal before the
/// first draw.
class TerminalBlock {
 public:
  explicit TerminalBlock(std::FILE* out) : out_(out) {}

  /// Adds a line that the next `draw` puts above the block.
  void print_above(std::string_view line);

  /// How many bytes are pending for the next `draw`.
  std::size_t waiting_bytes() const { return above_.size(); }

  /// Draws the lines over the previous ones; the terminal is `width` columns wide and `height` lines high.
  void draw(const std::vector<StyledLine>& lines, int width, int height);

  /// Leaves the block in place and moves the cursor to the line below.
  void leave();

 private:
  std::string to_begin(int width, int height) const;
  void write(const std::string& bytes);

  std::FILE* out_;
  std::string above_;
  std::vector<int> drawn_;  ///< The columns of each line on the screen.
};

/// Shows the user the loss while a job runs. On a terminal: a block at the bottom, redrawn in place, with the
/// curve, every rank and the findings; log lines scroll by above it, and the last picture stays in the
/// scrollback. Elsewhere: one plain line per step, and one for each finding. Used from one thread. `out` must
/// outlive it and must not be written by others.
class LiveView {
 public:
  using Clock = std::chrono::steady_clock;

  LiveView(std::FILE* out, const Style& style, Clock::time_point start = Clock::now());

  /// Continues with the run of a view that has finished, on another output.
  LiveView(std::FILE* out, const Style& style, LiveView before);

  /// The run that is shown. Tell it what is known of the ranks and epochs, and of the user's own formats.
  /// Output and attempts go through feed() and next_attempt() below.
  Run& run() { return run_; }
  const Run& run() const { return run_; }

  /// Takes bytes of a rank's output and when they came: see Run::feed.
  void feed(std::uint32_t rank, std::string_view bytes, std::int64_t time_ms = 0);

  /// Sets how long the job has run; nothing: not known. Without this call, the time since construction is
  /// shown.
  void set_elapsed(std::optional<std::chrono::seconds> elapsed);

  /// Another attempt at the job begins: see Run::next_attempt. If the user was shown the one before, says so
  /// above the picture.
  void next_attempt(std::uint64_t number, const std::string& change);

  /// Sets the nodes shown next to the ranks.
  void set_node_names(NodeOf node_of) { context_.node_of = std::move(node_of); }

  /// Keys are read, so help is offered.
  void expect_keys() { context_.has_keys = true; }

  /// Handles a key of the user; the change is drawn at the next tick. False if the key has no meaning here.
  bool press(const Key& key);

  /// Updates the output, on a terminal at most five times a second. Must be called often: it checks the size
  /// of the terminal, and the timeout for steps that some ranks never print.
  void tick(Clock::time_point now);

  /// Prints a log line above the block with the next redraw (without a terminal: at once). Its control
  /// characters are not passed on.
  void print_above(std::string_view line);

  /// The output has ended: processes incomplete lines and shows the last picture. Call once.
  void finish(Clock::time_point now = Clock::now());

 private:
  void redraw(Clock::time_point now);
  void look_for_findings(Clock::time_point now);
  void print_new_findings();

  std::FILE* out_;
  Style style_;
  Run run_;
  TerminalBlock block_;
  PlainView plain_;
  StepRate rate_;
  bool shown_ = false;  ///< Something of the run was printed or drawn.
  bool moves_ = true;   ///< Bytes arrive as they are printed; false while past output is read.
  Clock::time_point start_;
  bool knows_elapsed_ = false;
  Clock::time_point next_redraw_;
  Clock::time_point next_search_;  ///< Next time to look for findings.
  ViewContext context_;
  std::set<std::tuple<Fault, std::optional<std::uint32_t>, std::uint64_t>> printed_;  ///< As plain lines.
};

}  // namespace adarun::monitor
