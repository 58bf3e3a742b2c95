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
      other_line_(line_.size()),
      band_(line_.size()) {}

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
    if (line_[cell] != 0) {
      line.add(unicode ? braille(line_[cell]) : "*", Paint::curve);
    } else if (other_line_[cell] != 0) {
      line.add(unicode && color ? braille(other_line_[cell]) : "o", Paint::warning);
    } else if (band_[cell] != 0) {
      line.add(!unicode ? "." : color ? braille(band_[cell]) : "░", Paint::dim);
    } else {
      line.add(" ");
    }
  }
}

}  // namespace adarun::monitor
