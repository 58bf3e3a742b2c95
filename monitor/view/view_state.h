// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/series/run.h"

namespace adarun::monitor {

/// A key pressed by the user.
struct Key {
  enum class Kind { character, up, down, left, right, home, end, enter, escape };

  Kind kind = Kind::character;
  char character = 0;  ///< For `character`: printable ASCII.

  bool operator==(const Key&) const = default;
};

/// Decodes the bytes that a terminal sends for keys. Unknown sequences are ignored.
class KeyReader {
 public:
  /// The keys that these bytes complete; bytes may come in pieces.
  std::vector<Key> feed(std::string_view bytes);

  /// Call when no bytes have come for a while: a pending escape character was then the Escape key, not the
  /// beginning of a sequence.
  std::vector<Key> finish();

 private:
  std::string begun_;  ///< An incomplete sequence.
};

/// What the user has chosen by keys: which part of the run is shown, how, and for which rank.
struct ViewState {
  bool log_scale = false;
  bool help = false;
  int smooth = 1;                     ///< Columns of dots over which the curve is averaged.
  unsigned zoom = 0;                  ///< Shows 1 / 2^zoom of the run ...
  double middle = 1;                  ///< ... centred at this share of it; 1: the end, which moves on.
  std::optional<std::uint32_t> rank;  ///< The rank whose loss is drawn; none: the median.
  std::string number;                 ///< Digits of a rank number typed so far.

  /// Handles a key; false if it has no meaning here, as `q`.
  bool press(const Key& key, const Run& run);

  /// The part of the points that is shown.
  std::span<const MergedPoint> part_of(const std::vector<MergedPoint>& merged) const;

  /// "zoom 4x, log scale, smooth 8, rank 3": what differs from the initial state; empty if nothing does.
  std::string describe() const;

  bool operator==(const ViewState&) const = default;
};

/// What the keys do, one line each.
std::vector<std::string> help_lines();

}  // namespace adarun::monitor
