// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "monitor/detect/finding.h"
#include "monitor/series/run.h"
#include "monitor/view/styled_line.h"
#include "monitor/view/view_state.h"

namespace adarun::monitor {

/// What to show besides the losses.
struct ViewContext {
  std::optional<double> steps_per_s = {};
  std::optional<std::chrono::seconds> elapsed = {};  ///< Since the job began.
  bool over = false;                                 ///< The run is over: no time left is shown.
  ViewState state = {};
  std::vector<RunFinding> findings = {};
  NodeOf node_of = {};
  bool has_keys = false;  ///< Whether keys are read.
};

/// Draws the run in at most `style.height - 1` lines of at most `style.width` columns: position and speed,
/// the curve, the current loss, findings if there are any, and the ranks or the help for keys. If there is
/// little room, the ranks are left out, then the curve. A pure function of its arguments.
std::vector<StyledLine> draw_run(const Run& run, const ViewContext& context, const Style& style);

// The parts of that:

/// Draws the loss in `rows` rows, plus one row for the axis below, with a gap where there is no finite loss:
/// the range over the ranks as a band, their median, or the loss of the chosen rank, as a curve, and those of
/// validations as another curve behind it. A vertical line shows where a further attempt begins, the axis
/// why. Needs at least 3 rows and 30 columns to be readable.
std::vector<StyledLine> draw_curve(const Run& run, const ViewState& state, int rows, const Style& style);

/// Draws every rank with its last step, last loss, loss trend and state. Adds its time per step and its node
/// if known and if there is room. Uses as many columns as are needed to fit `rows` lines (one of them the
/// heading). Ranks in trouble come first, then all others by number, down the columns. If they do not all
/// fit, the last cell says how many are left out.
std::vector<StyledLine> draw_ranks(const Run& run, const ViewContext& context, int rows, const Style& style);

/// The most lines that draw_ranks uses when given `rows`.
int rank_rows(const Run& run, const ViewContext& context, int rows, const Style& style);

}  // namespace adarun::monitor
