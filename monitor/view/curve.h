// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "monitor/series/run.h"
#include "monitor/view/style.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {

/// What is drawn of the loss over the positions of a run. Borrows the points.
struct LossCurve {
  std::span<const MergedPoint> merged;  ///< The range over the ranks is a band, their median the curve ...
  std::span<const Point> rank = {};     ///< ... unless these are there, of one rank: then they are.
  bool log_scale = false;               ///< Where any loss is positive; the others then lie at the bottom.
  int smooth = 1;                       ///< Columns of dots that the curve is averaged over.
};

/// Draws it in `rows` rows and one for the axis below, with a gap where there is no finite loss. At least 3
/// rows and 30 columns make sense.
std::vector<StyledLine> draw_curve(const LossCurve& curve, int rows, const Style& style);

}  // namespace adarun::monitor
