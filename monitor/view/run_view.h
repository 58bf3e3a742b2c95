// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "monitor/detect/finding.h"
#include "monitor/series/run.h"
#include "monitor/view/style.h"
#include "monitor/view/styled_line.h"
#include "monitor/view/view_state.h"

namespace adarun::monitor {

/// What only an observer with a clock knows of a run.
struct Pace {
  std::optional<double> steps_per_s;
  std::optional<std::chrono::seconds> elapsed;  ///< Since the job began.
  bool over = false;                            ///< No more comes: there is no time left to tell.
};

/// What there is to show beside the losses themselves.
struct ViewContext {
  Pace pace = {};
  ViewState state = {};
  std::vector<RunFinding> findings = {};
  NodeOf node_of = {};
  bool has_keys = false;  ///< Somebody reads them.
};

/// A picture of the run in at most `style.height - 1` lines of at most `style.width` columns: where it is and
/// how fast, the curve, the loss now, findings if there are any, and the ranks, or what keys do. In little
/// room the ranks, then the curve, are left out. A pure function of its arguments.
std::vector<StyledLine> draw_run(const Run& run, const ViewContext& context, const Style& style);

}  // namespace adarun::monitor
