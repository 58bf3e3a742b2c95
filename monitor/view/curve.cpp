// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/curve.h"

#include <algorithm>
#include <cmath>

#include "monitor/view/canvas.h"

namespace adarun::monitor {
namespace {

constexpr int label_columns = 8;

// Where positions and losses lie on the canvas.
struct Frame {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  double low = 0;
  double high = 0;
  int dot_columns = 0;
  int dot_rows = 0;

  int x(std::uint64_t position) const {
    if (last == first) return 0;
    const double share = static_cast<double>(position - first) / static_cast<double>(last - first);
    return static_cast<int>(std::lround(share * (dot_columns - 1)));
  }
  int y(double loss) const {
    return static_cast<int>(std::lround((high - loss) / (high - low) * (dot_rows - 1)));
  }
};

// What lies in one column of dots.
struct Column {
  int x = 0;
  double low = 0;
  double middle = 0;
  double high = 0;
  bool joins_last = false;  ///< Nothing but finite losses since the column before.
};

Frame frame_of(const std::vector<MergedPoint>& merged, const Canvas& canvas) {
  Frame frame{.dot_columns = canvas.dot_columns(), .dot_rows = canvas.dot_rows()};
  frame.first = merged.front().position;
  frame.last = merged.back().position;
  bool any = false;
  for (const MergedPoint& point : merged) {
    if (point.ranks == 0) continue;
    frame.low = any ? std::min(frame.low, point.min) : point.min;
    frame.high = any ? std::max(frame.high, point.max) : point.max;
    any = true;
  }
  if (frame.high - frame.low < 1e-9 * std::max(1.0, std::fabs(frame.high))) {
    frame.low -= 0.5;
    frame.high += 0.5;
  }
  return frame;
}

std::vector<Column> columns_of(const std::vector<MergedPoint>& merged, const Frame& frame) {
  std::vector<Column> columns;
  bool gap = true;
  int points = 0;
  for (const MergedPoint& point : merged) {
    if (point.ranks == 0) {
      gap = true;
      continue;
    }
    const int x = frame.x(point.position);
    if (columns.empty() || columns.back().x != x) {
      columns.push_back({x, point.min, point.median, point.max, !gap});
      points = 1;
    } else {
      Column& column = columns.back();
      ++points;
      column.low = std::min(column.low, point.min);
      column.high = std::max(column.high, point.max);
      column.middle += (point.median - column.middle) / points;
    }
    gap = false;
  }
  return columns;
}

void draw_column(Canvas& canvas, const Frame& frame, const Column& column, int from_y) {
  for (int y = frame.y(column.high); y <= frame.y(column.low); ++y) canvas.dot_band(column.x, y);
  const int to_y = frame.y(column.middle);
  const int step = to_y < from_y ? -1 : 1;
  for (int y = from_y; y != to_y; y += step) canvas.dot_line(column.x, y);
  canvas.dot_line(column.x, to_y);
}

// The columns between two, on straight lines.
Column between(const Column& left, const Column& right, int x) {
  const double share = static_cast<double>(x - left.x) / (right.x - left.x);
  const auto mix = [&](double a, double b) { return a + (b - a) * share; };
  return {x, mix(left.low, right.low), mix(left.middle, right.middle), mix(left.high, right.high), true};
}

void draw(Canvas& canvas, const Frame& frame, const std::vector<Column>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (!column.joins_last) {
      draw_column(canvas, frame, column, frame.y(column.middle));
      continue;
    }
    int y = frame.y(columns[i - 1].middle);
    for (int x = columns[i - 1].x + 1; x <= column.x; ++x) {
      const Column here = between(columns[i - 1], column, x);
      const int to = frame.y(here.middle);
      draw_column(canvas, frame, here, y < to ? y + 1 : y > to ? y - 1 : y);
      y = to;
    }
  }
}

Line axis(const std::vector<MergedPoint>& merged, const Style& style) {
  const auto name = [](const MergedPoint& point) {
    return "epoch " + std::to_string(point.epoch) + " step " + std::to_string(point.step);
  };
  Line line(style.width, style.color);
  line.pad_to(label_columns).add(style.unicode ? "└" : "+", Paint::dim).add(" ");
  if (merged.empty()) return line;
  const std::string first = name(merged.front());
  const std::string last = name(merged.back());
  const bool both = merged.size() > 1 && line.left() > static_cast<int>(first.size() + last.size() + 1);
  if (both || merged.size() == 1) line.add(first, Paint::dim);
  if (merged.size() > 1) line.add_right(last, line.left(), Paint::dim);
  return line;
}

}  // namespace

std::vector<Line> draw_curve(const std::vector<MergedPoint>& merged, int rows, const Style& style) {
  Canvas canvas(std::max(style.width - label_columns - 1, 1), rows);
  Frame frame;
  if (!merged.empty()) {
    frame = frame_of(merged, canvas);
    draw(canvas, frame, columns_of(merged, frame));
  }
  std::vector<Line> lines;
  for (int row = 0; row < rows; ++row) {
    Line& line = lines.emplace_back(style.width, style.color);
    const bool labelled = !merged.empty() && (row == 0 || row == rows - 1 || (rows >= 5 && row == rows / 2));
    if (labelled) {
      const double share = rows == 1 ? 0 : static_cast<double>(row) / (rows - 1);
      line.add_right(loss_text(frame.high - share * (frame.high - frame.low)), label_columns - 1, Paint::dim);
      line.add(" ");
    }
    line.pad_to(label_columns).add(style.unicode ? (labelled ? "┤" : "│") : "|", Paint::dim);
    canvas.append_row(line, row, style.color, style.unicode);
  }
  lines.push_back(axis(merged, style));
  return lines;
}

}  // namespace adarun::monitor
