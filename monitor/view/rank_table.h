// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "monitor/detect/finding.h"
#include "monitor/series/run.h"
#include "monitor/view/style.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {

/// What a table of ranks is made from. Borrows all of it.
struct RankTable {
  const Run& run;
  std::span<const RunFinding> findings;  ///< Make a rank one in trouble.
  const NodeOf& node_of;
  std::optional<std::uint32_t> chosen;  ///< Is marked.
};

/// Every rank with its last step, last loss, the trend of its loss and its state, and with its time per step
/// and its node where these are known and there is room, in as many columns as are needed to fit `rows` lines
/// (one of them the heading). Ranks in trouble come first, then all by number, down the columns. Where they
/// do not all fit, the last place says how many are left out.
std::vector<StyledLine> draw_ranks(const RankTable& table, int rows, const Style& style);

/// How many lines draw_ranks uses at most when it may use `rows`.
int rank_rows(const RankTable& table, int rows, const Style& style);

/// A series as at most `columns` bars, its lowest value as the lowest bar; a bar is the mean of as many
/// points as it takes, 'x' where none of them is finite.
std::string trend(const std::vector<Point>& points, int columns, bool unicode);

}  // namespace adarun::monitor
