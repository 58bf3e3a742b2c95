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
#include "monitor/series/step_rate.h"
#include "monitor/view/plain.h"
#include "monitor/view/run_view.h"
#include "monitor/view/style.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {

/// A block of lines at the bottom of a terminal that is redrawn in place. Each frame is one write that leaves
/// the cursor visible behind the block, so that the terminal is in order whenever the program ends, however
/// it ends. No alternate screen: what scrolled by above stays. Does nothing to the terminal before the first
/// draw.
class TerminalBlock {
 public:
  explicit TerminalBlock(std::FILE* out) : out_(out) {}

  /// A line that the next `draw` puts above the block.
  void print_above(std::string_view line);

  /// How many bytes wait for the next `draw`.
  std::size_t waiting_bytes() const { return above_.size(); }

  /// Draws the lines over the last ones; the terminal is `width` columns wide and `height` lines high.
  void draw(const std::vector<StyledLine>& lines, int width, int height);

  /// Leaves the block where it is and the cursor on the line below.
  void leave();

 private:
  std::string to_begin(int width, int height) const;
  void write(const std::string& bytes);

  std::FILE* out_;
  std::string above_;
  std::vector<int> drawn_;  ///< The columns of each line that is on the screen.
};

/// What a user sees of the loss while a job runs. On a terminal: a block at the bottom, redrawn in place,
/// with the curve, every rank and what is wrong; log lines scroll by above it, and its last picture stays in
/// the scrollback. Elsewhere: one plain line per step, and one for each finding. Used from one thread; `out`
/// outlives it and is written by nobody else.
class LiveView {
 public:
  using Clock = std::chrono::steady_clock;

  LiveView(std::FILE* out, const Style& style) : LiveView(out, style, Clock::now()) {}
  LiveView(std::FILE* out, const Style& style, Clock::time_point start);

  /// How many ranks there are; ranks without output yet are shown, too.
  void expect(std::uint32_t world_size) { run_.expect(world_size); }

  /// How many epochs there are, so that the time left is shown.
  void expect_epochs(std::uint64_t epochs) { run_.expect_epochs(epochs); }

  /// Bytes of a rank's output, as they came, and when: see Run::feed.
  void feed(std::uint32_t rank, std::string_view bytes, std::int64_t time_ms = 0);

  /// How long the job has run, for who knows that better than since this view was made; nothing: not known.
  void set_elapsed(std::optional<std::chrono::seconds> elapsed);

  /// The log of a rank begins anew.
  void restart(std::uint32_t rank) { run_.restart(rank); }

  void set_rank_state(std::uint32_t rank, ProcessState state) { run_.set_state(rank, state); }

  /// Where ranks run, to be shown beside them.
  void set_node_names(NodeOf node_of) { context_.node_of = std::move(node_of); }

  /// Formats of the user's own, for what is fed from now on.
  void read_also(std::vector<LinePattern> patterns) { run_.read_also(std::move(patterns)); }

  /// Somebody reads the keys: help is offered.
  void expect_keys() { context_.has_keys = true; }

  /// A key of the user's; what it changes is drawn at the next tick. False where it means nothing here.
  bool press(const Key& key);

  /// Brings the output up to date, at most five times a second on a terminal. Call it often: the terminal's
  /// size is looked at here, and a step that some ranks never print is given up waiting for.
  void tick(Clock::time_point now);

  /// A line of log above the block, with the next redraw (elsewhere: just a line, at once). Its control
  /// characters are not passed on.
  void print_above(std::string_view line);

  /// No more output comes: takes half lines for whole ones, and shows the last picture. Call once.
  void finish() { finish(Clock::now()); }
  void finish(Clock::time_point now);

  const Run& run() const { return run_; }

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
  bool moves_ = true;  ///< Bytes come as they are printed: not while those of the past are read.
  Clock::time_point start_;
  bool knows_elapsed_ = false;
  Clock::time_point next_redraw_;
  Clock::time_point next_search_;  ///< For findings.
  ViewContext context_;
  std::set<std::tuple<Fault, std::optional<std::uint32_t>, std::uint64_t>> printed_;  ///< As plain lines.
};

}  // namespace adarun::monitor
