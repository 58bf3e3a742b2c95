// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "monitor/plot/scene.h"

namespace adarun::monitor::plot {

/// Text as strokes, each a list of points: printable ASCII in a fixed width, a question mark for any other
/// character. `size` is the height of a line; `at` is on the baseline.
std::vector<std::vector<PixelPoint>> strokes_of(std::string_view text, PixelPoint at, double size,
                                                Align align);

/// The width of a text drawn this way.
double width_of(std::string_view text, double size);

}  // namespace adarun::monitor::plot
