// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "monitor/series/run.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {

/// What to draw of the loss over the positions of a run. Borrows the points.
struct LossCurve {
  std::span<const MergedPoint> merged;  ///< The band is the range over the ranks, the curve their median ...
  std::vector<Point> rank = {};         ///< ... or the loss of one rank, if these are not empty.

  /// The losses of validations: another curve, behind the first one, of those at positions of `merged`.
  std::span<const MergedPoint> validation = {};

  /// A vertical line where each further one begins, and on the axis why.
  std::span<const RunAttempt> attempts = {};

  bool log_scale = false;  ///< Used only if any loss is positive; other losses are drawn at the bottom.
  int smooth = 1;          ///< Columns of dots over which the curve is averaged.
};

/// Draws the curve in `rows` rows, plus one row for the axis below, with a gap where there is no finite loss.
/// Needs at least 3 rows and 30 columns to be readable.
std::vector<StyledLine> draw_curve(const LossCurve& curve, int rows, const Style& style);

}  // namespace adarun::monitor
