// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

namespace adarun::monitor {

/// The size of a view and the abilities of its terminal.
struct Style {
  int width = 80;
  int height = 24;
  bool color = false;
  bool unicode = true;       ///< If false, the curve and the trends are drawn in ASCII.
  bool interactive = false;  ///< Redraw in place; if false, one plain line per step.
  int terminal = -1;         ///< The descriptor whose terminal size is followed; -1: none.
};

/// The style for a stream: `interactive` if it is a terminal that can move its cursor, with the size of that
/// terminal; `unicode` if the locale's character set is UTF-8. `color` is the caller's choice.
Style style_for(std::FILE* out, bool color);

/// Updates `style` with the size of its terminal, if it has one.
void follow_size(Style& style);

}  // namespace adarun::monitor
