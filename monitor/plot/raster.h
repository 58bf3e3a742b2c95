// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "monitor/plot/picture.h"

namespace adarun::monitor::plot {

/// Text as strokes, each a list of points: printable ASCII in a fixed width, a question mark for any other
/// character. `size` is the height of a line; `at` is on the baseline.
std::vector<std::vector<PixelPoint>> strokes_of(std::string_view text, PixelPoint at, double size,
                                                Align align);

/// The width of a text drawn this way.
double width_of(std::string_view text, double size);

/// Pixels (height, width, 3): red, green, blue.
struct Bitmap {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> bytes;

  Bitmap(int wide, int high)
      : width(wide),
        height(high),
        bytes(3 * static_cast<std::size_t>(wide) * static_cast<std::size_t>(high), 255) {}

  Color at(int x, int y) const;
};

/// Draws the picture enlarged by `scale`, with smooth edges. Text is drawn with built-in stroke glyphs:
/// printable ASCII, a question mark for anything else.
Bitmap rasterise(const Scene& scene, double scale = 1);

}  // namespace adarun::monitor::plot
