// SPDX-License-Identifier: Apache-2.0
// The curve of the loss over the positions of a run.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "monitor/base/text.h"
#include "monitor/view/run_view.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {
namespace {

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

// The character U+2800 + `dots` as UTF-8.
std::string braille(std::uint8_t dots) {
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 + (dots >> 6U)),
          static_cast<char>(0x80 + (dots & 0x3FU))};
}

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

constexpr int label_columns = 8;

// Maps positions and losses to the canvas.
struct CurveScale {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool log_scale = false;
  double low = 0;  ///< In the unit of `height_of`.
  double high = 0;
  int dot_columns = 0;
  int dot_rows = 0;

  double height_of(double loss) const {
    if (!log_scale) return loss;
    return loss > 0 ? std::log10(loss) : low;
  }
  double loss_at(double height) const { return log_scale ? std::pow(10, height) : height; }

  int x(std::uint64_t position) const {
    if (last == first) return 0;
    const double share = static_cast<double>(position - first) / static_cast<double>(last - first);
    return static_cast<int>(std::lround(share * (dot_columns - 1)));
  }
  int y(double loss) const {
    const double share = (high - height_of(loss)) / (high - low);
    return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * (dot_rows - 1)));
  }
};

// The values in one column of dots.
struct DotColumn {
  int x = 0;
  double low = 0;
  double middle = 0;
  double high = 0;
  bool joins_last = false;  ///< All losses since the previous column are finite.
};

using Points = std::span<const MergedPoint>;

// The validations at positions that are drawn, without their range over the ranks.
std::vector<MergedPoint> validations_in(const Run& run, Points merged) {
  std::vector<MergedPoint> points;
  for (MergedPoint point : run.merged_validation()) {
    if (point.position < merged.front().position || point.position > merged.back().position) continue;
    point.min = point.max = point.median;
    points.push_back(point);
  }
  return points;
}

// A logarithmic one only if any loss is positive; other losses are drawn at the bottom.
CurveScale scale_of(Points merged, Points validations, bool log_scale, const Canvas& canvas) {
  CurveScale scale{.dot_columns = canvas.dot_columns(), .dot_rows = canvas.dot_rows()};
  scale.first = merged.front().position;
  scale.last = merged.back().position;
  scale.log_scale = log_scale && std::any_of(merged.begin(), merged.end(),
                                             [](const MergedPoint& point) { return point.max > 0; });
  bool any = false;
  const auto include = [&](const MergedPoint& point) {
    if (point.ranks == 0 || (scale.log_scale && point.max <= 0)) return;
    const double least = scale.log_scale && point.min <= 0 ? point.max : point.min;
    scale.low = any ? std::min(scale.low, scale.height_of(least)) : scale.height_of(least);
    scale.high = any ? std::max(scale.high, scale.height_of(point.max)) : scale.height_of(point.max);
    any = true;
  };
  for (const MergedPoint& point : merged) include(point);
  for (const MergedPoint& point : validations) include(point);
  if (scale.high - scale.low < 1e-9 * std::max(1.0, std::fabs(scale.high))) {
    scale.low -= 0.5;
    scale.high += 0.5;
  }
  return scale;
}

// The points of one rank in the form of merged points.
std::vector<MergedPoint> points_of_rank(const std::vector<Point>& losses, Points merged) {
  std::vector<MergedPoint> points;
  for (const Point& point : losses) {
    if (point.position < merged.front().position || point.position > merged.back().position) continue;
    points.push_back({.position = point.position,
                      .min = point.min,
                      .median = point.mean,
                      .max = point.max,
                      .ranks = point.finite > 0 ? 1U : 0U});
  }
  return points;
}

std::vector<DotColumn> dot_columns_of(Points merged, const CurveScale& scale) {
  std::vector<DotColumn> columns;
  bool gap = true;
  int points = 0;
  for (const MergedPoint& point : merged) {
    if (point.ranks == 0) {
      gap = true;
      continue;
    }
    const int x = scale.x(point.position);
    if (columns.empty() || columns.back().x != x) {
      columns.push_back({x, point.min, point.median, point.max, !gap});
      points = 1;
    } else {
      DotColumn& column = columns.back();
      ++points;
      column.low = std::min(column.low, point.min);
      column.high = std::max(column.high, point.max);
      column.middle += (point.median - column.middle) / points;
    }
    gap = false;
  }
  return columns;
}

// Replaces each middle by the mean of its neighbours, not across gaps.
void smooth(std::vector<DotColumn>& columns, int width) {
  const std::vector<DotColumn> rough = columns;
  const std::size_t each_side = static_cast<std::size_t>(width) / 2;
  for (std::size_t i = 0; i < rough.size(); ++i) {
    double sum = rough[i].middle;
    std::size_t count = 1;
    for (std::size_t back = i; back > 0 && i - back < each_side && rough[back].joins_last; --back, ++count)
      sum += rough[back - 1].middle;
    for (std::size_t on = i + 1; on < rough.size() && on - i <= each_side && rough[on].joins_last;
         ++on, ++count)
      sum += rough[on].middle;
    columns[i].middle = sum / static_cast<double>(count);
  }
}

// Linear interpolation between two columns.
DotColumn between(const DotColumn& left, const DotColumn& right, int x) {
  const double share = static_cast<double>(x - left.x) / (right.x - left.x);
  const auto mix = [&](double a, double b) { return a + (b - a) * share; };
  return {x, mix(left.low, right.low), mix(left.middle, right.middle), mix(left.high, right.high), true};
}

// Calls `dot(column, y before)` for each column of dots, including those between two joined columns.
template <typename Dot>
void for_each_column(const std::vector<DotColumn>& columns, const CurveScale& scale, const Dot& dot) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const DotColumn& column = columns[i];
    if (!column.joins_last) {
      dot(column, scale.y(column.middle));
      continue;
    }
    for (int x = columns[i - 1].x + 1; x <= column.x; ++x)
      dot(between(columns[i - 1], column, x), scale.y(between(columns[i - 1], column, x - 1).middle));
  }
}

void draw_band(Canvas& canvas, const CurveScale& scale, const std::vector<DotColumn>& columns) {
  for_each_column(columns, scale, [&](const DotColumn& column, int) {
    for (int y = scale.y(column.high); y <= scale.y(column.low); ++y) canvas.dot_band(column.x, y);
  });
}

// Calls `dot(x, y)` for each dot of the line.
template <typename Dot>
void draw_line(const CurveScale& scale, const std::vector<DotColumn>& columns, const Dot& dot) {
  for_each_column(columns, scale, [&](const DotColumn& column, int before) {
    const int to = scale.y(column.middle);
    const int step = to < before ? -1 : 1;
    for (int y = before == to ? to : before + step; y != to; y += step) dot(column.x, y);
    dot(column.x, to);
  });
}

bool is_shown(const RunAttempt& attempt, const CurveScale& scale) {
  return attempt.has_mark() && attempt.begin->position >= scale.first &&
         attempt.begin->position <= scale.last;
}

// Dotted lines, behind the curve.
void draw_marks(Canvas& canvas, const CurveScale& scale, const Run& run) {
  for (const RunAttempt& attempt : run.attempts())
    for (int y = 0; is_shown(attempt, scale) && y < scale.dot_rows; y += 2)
      canvas.dot_band(scale.x(attempt.begin->position), y);
}

CurveScale draw(Canvas& canvas, const Run& run, const ViewState& state, Points merged) {
  const std::vector<MergedPoint> validations = validations_in(run, merged);
  const CurveScale scale = scale_of(merged, validations, state.log_scale, canvas);
  draw_marks(canvas, scale, run);
  std::vector<DotColumn> columns = dot_columns_of(merged, scale);
  draw_band(canvas, scale, columns);
  draw_line(scale, dot_columns_of(validations, scale), [&](int x, int y) { canvas.dot_other_line(x, y); });
  std::vector<Point> of_rank;
  if (state.rank && run.ranks().contains(*state.rank)) of_rank = run.losses_of(*state.rank);
  if (!of_rank.empty()) columns = dot_columns_of(points_of_rank(of_rank, merged), scale);
  if (state.smooth > 1) smooth(columns, state.smooth);
  draw_line(scale, columns, [&](int x, int y) { canvas.dot_line(x, y); });
  return scale;
}

// An arrow below each mark, and why, where there is room before `end` and the next one.
void add_mark_texts(StyledLine& line, const Run& run, const CurveScale& scale, int end, const Style& style) {
  std::vector<std::pair<int, const RunAttempt*>> marks;
  for (const RunAttempt& attempt : run.attempts())
    if (is_shown(attempt, scale))
      marks.emplace_back(label_columns + 1 + scale.x(attempt.begin->position) / 2, &attempt);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const auto& [column, attempt] = marks[i];
    const int next = i + 1 < marks.size() ? marks[i + 1].first : end;
    if (column < line.columns() || column >= end) continue;
    line.pad_to(column).add(style.unicode ? "↑" : "^");
    if (columns_of(attempt->change) + 2 < std::min(next, end) - column)
      line.add(" ").add(attempt->change, Paint::dim);
  }
}

StyledLine axis(const Run& run, Points merged, const CurveScale& scale, const Style& style) {
  const auto name = [](const MergedPoint& point) { return place_text(point.epoch, point.step); };
  StyledLine line(style.width, style.color);
  line.pad_to(label_columns).add(style.unicode ? "└" : "+", Paint::dim).add(" ");
  if (merged.empty()) return line;
  const std::string first = name(merged.front());
  const std::string last = name(merged.back());
  const bool both = merged.size() > 1 && line.left() > static_cast<int>(first.size() + last.size() + 1);
  if (both || merged.size() == 1) line.add(first, Paint::dim);
  if (both) add_mark_texts(line, run, scale, style.width - static_cast<int>(last.size()) - 1, style);
  if (merged.size() > 1) line.add_right(last, line.left(), Paint::dim);
  return line;
}

}  // namespace

std::vector<StyledLine> draw_curve(const Run& run, const ViewState& state, int rows, const Style& style) {
  const Points merged = state.part_of(run.merged());
  Canvas canvas(std::max(style.width - label_columns - 1, 1), rows);
  CurveScale scale;
  if (!merged.empty()) scale = draw(canvas, run, state, merged);
  std::vector<StyledLine> lines;
  for (int row = 0; row < rows; ++row) {
    StyledLine& line = lines.emplace_back(style.width, style.color);
    const bool labelled = !merged.empty() && (row == 0 || row == rows - 1 || (rows >= 5 && row == rows / 2));
    if (labelled) {
      const double share = rows == 1 ? 0 : static_cast<double>(row) / (rows - 1);
      const double loss = scale.loss_at(scale.high - share * (scale.high - scale.low));
      line.add_right(loss_text(loss), label_columns - 1, Paint::dim);
      line.add(" ");
    }
    line.pad_to(label_columns).add(style.unicode ? (labelled ? "┤" : "│") : "|", Paint::dim);
    canvas.append_row(line, row, style.color, style.unicode);
  }
  lines.push_back(axis(run, merged, scale, style));
  return lines;
}

}  // namespace adarun::monitor
