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

/// Facts about a run that need a clock.
struct Pace {
  std::optional<double> steps_per_s;
  std::optional<std::chrono::seconds> elapsed;  ///< Since the job began.
  bool over = false;                            ///< The run is over: no time left is shown.
};

/// What to show besides the losses.
struct ViewContext {
  Pace pace = {};
  ViewState state = {};
  std::vector<RunFinding> findings = {};
  NodeOf node_of = {};
  bool has_keys = false;  ///< Whether keys are read.
};

/// Draws the run in at most `style.height - 1` lines of at most `style.width` columns: position and speed,
/// the curve, the current loss, findings if there are any, and the ranks or the help for keys. If there is
/// little room, the ranks are left out, then the curve. A pure function of its arguments.
std::vector<StyledLine> draw_run(const Run& run, const ViewContext& context, const Style& style);

}  // namespace adarun::monitor
