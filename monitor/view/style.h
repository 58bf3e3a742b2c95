// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

namespace adarun::monitor {

/// How much room a view has and what its terminal can show.
struct Style {
  int width = 80;
  int height = 24;
  bool color = false;
  bool unicode = true;       ///< Else the curve and the trends are drawn in ASCII.
  bool interactive = false;  ///< Redraw in place; else one plain line per step.
  int terminal = -1;         ///< The descriptor whose size is followed; -1: none.
};

/// The style for a stream: interactive where it is a terminal that can move its cursor, size of that
/// terminal, unicode where the locale's character set is UTF-8. `color` is the caller's choice.
Style style_for(std::FILE* out, bool color);

/// Takes the size of its terminal over into `style`, where that has one.
void follow_size(Style& style);

}  // namespace adarun::monitor
