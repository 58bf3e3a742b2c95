// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "monitor/series/run.h"
#include "monitor/view/style.h"
#include "monitor/view/text.h"

namespace adarun::monitor {

/// What only an observer with a clock knows of a run.
struct Pace {
  std::optional<double> steps_per_s;
  std::optional<std::chrono::seconds> elapsed;
};

/// A picture of the run in at most `style.height - 1` lines of at most `style.width` columns: where it is and
/// how fast, the curve, the loss now, trouble if there is any, and the ranks. In little room the ranks, then
/// the curve, are left out. A pure function of its arguments.
std::vector<Line> draw_run(const Run& run, const Pace& pace, const Style& style);

}  // namespace adarun::monitor
