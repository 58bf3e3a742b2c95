// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "monitor/series/run.h"
#include "monitor/view/block.h"
#include "monitor/view/plain.h"
#include "monitor/view/rate.h"
#include "monitor/view/run_view.h"
#include "monitor/view/style.h"

namespace adarun::monitor {

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
  void tell_elapsed(std::optional<std::chrono::seconds> elapsed);

  /// The log of a rank begins anew.
  void restart(std::uint32_t rank) { run_.restart(rank); }

  void rank_state(std::uint32_t rank, RankState state) { run_.set_state(rank, state); }

  /// Where ranks run, to be shown beside them.
  void name_nodes(NodeOf node_of) { scene_.node_of = std::move(node_of); }

  /// Formats of the user's own, for what is fed from now on.
  void read_also(std::vector<LinePattern> patterns) { run_.read_also(std::move(patterns)); }

  /// Somebody reads the keys: help is offered.
  void expect_keys() { scene_.has_keys = true; }

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
  void tell_new_findings();

  std::FILE* out_;
  Style style_;
  Run run_;
  Block block_;
  PlainView plain_;
  Rate rate_;
  bool moves_ = true;  ///< Bytes come as they are printed: not while those of the past are read.
  Clock::time_point start_;
  bool knows_elapsed_ = false;
  Clock::time_point next_redraw_;
  Clock::time_point next_search_;  ///< For findings.
  Scene scene_;
  std::set<std::tuple<Fault, std::optional<std::uint32_t>, std::uint64_t>> told_;  ///< As plain lines.
};

}  // namespace adarun::monitor
