// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "monitor/series/run.h"
#include "monitor/view/style.h"
#include "monitor/view/text.h"

namespace adarun::monitor {

/// Every rank with its last step, last loss, the trend of its loss and its state, in as many columns as are
/// needed to fit `rows` lines (one of them the heading). Where they do not all fit, those in trouble come
/// first and the last place says how many are left out; else they stand by number, down the columns.
std::vector<Line> draw_ranks(const Run& run, int rows, const Style& style);

/// How many lines draw_ranks uses at most when it may use `rows`.
int rank_rows(const Run& run, int rows, const Style& style);

/// A series as at most `columns` bars, its lowest value as the lowest bar; a bar is the mean of as many
/// points as it takes, 'x' where none of them is finite.
std::string trend(const std::vector<Point>& points, int columns, bool unicode);

}  // namespace adarun::monitor
