// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace adarun::monitor {

/// What a piece of text is, which decides its colour.
enum class Paint { normal, dim, curve, good, warning, bad, strong };

/// One line of a view: text of at most `width` columns (a code point is one column), with colours only if
/// `color`. What does not fit is cut off.
class Line {
 public:
  Line(int width, bool color) : width_(width), color_(color) {}

  Line& add(std::string_view utf8, Paint paint = Paint::normal);
  /// Fills up with spaces to this column.
  Line& pad_to(int column);
  /// Right-aligns the text in a field of `field` columns.
  Line& add_right(std::string_view utf8, int field, Paint paint = Paint::normal);

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

/// A loss in at most 7 columns: 0.8123, 12.35, 1.2e-05, nan, inf.
std::string loss_text(double loss);

/// A count with its thousands set off: 1,281,167.
std::string count_text(std::uint64_t count);

/// "1 rank", "16 ranks".
std::string counted(std::uint64_t count, std::string_view noun);

/// A time in ms since the Unix epoch, as clocks here have it: 2026-11-21 10:02:11.
std::string clock_text(std::int64_t time_ms);

/// What may be printed of a line of foreign text: what a carriage return did not overwrite, as
/// base::clean_line gives it.
std::string printable(std::string_view text);

}  // namespace adarun::monitor
