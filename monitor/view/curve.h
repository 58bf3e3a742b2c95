// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "monitor/series/run.h"
#include "monitor/view/style.h"
#include "monitor/view/text.h"

namespace adarun::monitor {

/// The loss over the positions of the run, in `rows` rows and one for the axis below: the median as a curve,
/// the range over the ranks as a band behind it, a gap where no rank has a finite loss. At least 3 rows and
/// 30 columns make sense.
std::vector<Line> draw_curve(const std::vector<MergedPoint>& merged, int rows, const Style& style);

}  // namespace adarun::monitor
