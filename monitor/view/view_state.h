// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "monitor/series/run.h"
#include "monitor/view/keys.h"

namespace adarun::monitor {

/// What the user has chosen by keys: which part of the run is shown, how, and of which rank.
struct ViewState {
  bool log_scale = false;
  bool help = false;
  int smooth = 1;                     ///< Columns of dots over which the curve is averaged.
  unsigned zoom = 0;                  ///< A part of one in two to this power of the run is shown ...
  double middle = 1;                  ///< ... around this share of it; 1: its end, which moves on.
  std::optional<std::uint32_t> rank;  ///< Whose loss is drawn; none: the median.
  std::string number;                 ///< Digits of a rank, typed so far.

  /// Takes a key; false where it means nothing here, as `q` does.
  bool press(const Key& key, const Run& run);

  /// The points that are shown.
  std::span<const MergedPoint> part_of(const std::vector<MergedPoint>& merged) const;

  /// "zoom 4x, log scale, smooth 8, rank 3": what differs from how a view begins; empty where nothing does.
  std::string describe() const;

  bool operator==(const ViewState&) const = default;
};

/// What the keys do, a line each.
std::vector<std::string> help_lines();

}  // namespace adarun::monitor
