// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "monitor/detect/finding.h"
#include "monitor/series/run.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {

/// The input of a table of ranks. Borrows all of it.
struct RankTable {
  const Run& run;
  std::span<const RunFinding> findings;  ///< Ranks with findings come first.
  const NodeOf& node_of;
  std::optional<std::uint32_t> chosen;  ///< The rank to mark.
};

/// Draws every rank with its last step, last loss, loss trend and state. Adds its time per step and its node
/// if known and if there is room. Uses as many columns as are needed to fit `rows` lines (one of them the
/// heading). Ranks in trouble come first, then all others by number, down the columns. If they do not all
/// fit, the last cell says how many are left out.
std::vector<StyledLine> draw_ranks(const RankTable& table, int rows, const Style& style);

/// The most lines that draw_ranks uses when given `rows`.
int rank_rows(const RankTable& table, int rows, const Style& style);

/// A series as at most `columns` bars; the lowest bar is the lowest value. A bar is the mean of the points it
/// covers, or 'x' if none of them is finite.
std::string trend(const std::vector<Point>& points, int columns, bool unicode);

}  // namespace adarun::monitor
