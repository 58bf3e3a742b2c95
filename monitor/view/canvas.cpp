// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/canvas.h"

#include <array>
#include <string>

#include "monitor/view/styled_line.h"

namespace adarun::monitor {
namespace {

// The character U+2800 + `dots` as UTF-8.
std::string braille(std::uint8_t dots) {
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 + (dots >> 6U)),
          static_cast<char>(0x80 + (dots & 0x3FU))};
}

}  // namespace

Canvas::Canvas(int cell_columns, int cell_rows)
    : columns_(cell_columns),
      rows_(cell_rows),
      line_(static_cast<std::size_t>(cell_columns * cell_rows)),
      band_(static_cast<std::size_t>(cell_columns * cell_rows)) {}

void Canvas::set(std::vector<std::uint8_t>& layer, int x, int y) {
  static constexpr std::array<std::uint8_t, 8> bits{0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80};
  if (x < 0 || y < 0 || x >= dot_columns() || y >= dot_rows()) return;
  const auto cell =
      static_cast<std::size_t>(y / 4) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x / 2);
  layer[cell] |= bits[static_cast<std::size_t>((y % 4) * 2 + x % 2)];
}

void Canvas::append_row(StyledLine& line, int row, bool color, bool unicode) const {
  for (int column = 0; column < columns_; ++column) {
    const auto cell =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
    const std::uint8_t over = line_[cell];
    const std::uint8_t under = band_[cell];
    if (over == 0 && under == 0) {
      line.add(" ");
    } else if (!unicode) {
      line.add(over != 0 ? "*" : ".", over != 0 ? Paint::curve : Paint::dim);
    } else if (over != 0) {
      line.add(braille(over), Paint::curve);
    } else {
      line.add(color ? braille(under) : "░", Paint::dim);
    }
  }
}

}  // namespace adarun::monitor
