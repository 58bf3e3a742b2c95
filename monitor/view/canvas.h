// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/view/styled_line.h"

namespace adarun::monitor {

/// A drawing of dots, two columns by four rows in each character cell, in three layers: a line, behind it
/// another line, and behind both a band. (0, 0) is the upper left dot. Dots outside are ignored.
class Canvas {
 public:
  Canvas(int cell_columns, int cell_rows);

  int dot_columns() const { return 2 * columns_; }
  int dot_rows() const { return 4 * rows_; }

  void dot_line(int x, int y) { set(line_, x, y); }
  void dot_other_line(int x, int y) { set(other_line_, x, y); }
  void dot_band(int x, int y) { set(band_, x, y); }

  /// Appends one row of cells: braille, or '*', 'o' and '.' without `unicode`. A cell shows only the foremost
  /// layer that has a dot there. Without `color`, a cell of the other line is drawn as 'o', and a braille
  /// cell of the band as '░'.
  void append_row(StyledLine& line, int row, bool color, bool unicode) const;

 private:
  void set(std::vector<std::uint8_t>& layer, int x, int y);

  int columns_;
  int rows_;
  std::vector<std::uint8_t> line_;  ///< The dots of each cell, in braille numbering.
  std::vector<std::uint8_t> other_line_;
  std::vector<std::uint8_t> band_;
};

}  // namespace adarun::monitor
