// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

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

/// The meaning of a piece of text, which decides its colour.
enum class Paint { normal, dim, curve, good, warning, bad, strong };

/// One line of a view: text of at most `width` columns (a code point is one column), with colours only if
/// `color`. Text that does not fit is cut off.
class StyledLine {
 public:
  StyledLine(int width, bool color) : width_(width), color_(color) {}

  StyledLine& add(std::string_view utf8, Paint paint = Paint::normal);
  /// Pads with spaces up to this column.
  StyledLine& pad_to(int column);
  /// Right-aligns the text in a field of `field` columns.
  StyledLine& add_right(std::string_view utf8, int field, Paint paint = Paint::normal);

  int columns() const { return columns_; }
  int left() const { return width_ - columns_; }
  const std::string& bytes() const { return bytes_; }

 private:
  int width_;
  bool color_;
  int columns_ = 0;
  std::string bytes_;
};

/// The number of code points.
int columns_of(std::string_view utf8);

/// The first `columns` code points, or fewer.
std::string_view first_columns(std::string_view utf8, int columns);

/// Makes a line of untrusted text safe to print: the text that no carriage return overwrote, cleaned by
/// base::clean_line.
std::string printable(std::string_view text);

}  // namespace adarun::monitor
