// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/loss_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/clean_text.h"
#include "monitor/series/series.h"

namespace adarun::monitor::plot {

std::vector<double> round_numbers(double from, double to, int count) {
  const double raw = (to - from) / count;
  if (!(raw > 0) || !std::isfinite(raw)) return {from};
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double each : {5.0, 2.0, 1.0})
    if (each * power >= raw) step = each * power;
  std::vector<double> numbers;
  const double first = std::ceil(from / step);
  for (int i = 0; i <= 2 * count && (first + i) * step <= to + step * 1e-9; ++i)
    numbers.push_back((first + i) * step);
  return numbers;
}

std::string axis_text(double value) {
  std::array<char, 40> text{};
  constexpr double million = 1e6;
  const bool large = std::abs(value) >= million;
  std::snprintf(text.data(), text.size(), large ? "%.6gM" : "%.6g", large ? value / million : value);
  return text.data();
}

namespace {

constexpr Color text_color{70, 80, 95};
constexpr Color grid_color{226, 230, 236};
constexpr Color bad_color{198, 40, 40};
constexpr std::array<Color, 8> palette{Color{21, 101, 192}, {217, 115, 13}, {24, 134, 75}, {142, 68, 173},
                                       {194, 24, 91},       {0, 131, 143},  {122, 92, 0},  {84, 110, 122}};
constexpr double band_opacity = 0.18;
constexpr double mark_opacity = 0.7;
constexpr double left_edge = 64;
constexpr double right_edge = 20;
constexpr double top_edge = 48;
constexpr double bottom_edge = 44;
constexpr double text_size = 13;

struct NamedCurve {
  std::string name;
  Color color;
  std::vector<Slice> slices;
  bool dotted = false;                    ///< With a dot at each point, since validations may be few.
  std::vector<RunAttempt> attempts = {};  ///< Those that begin in the picture.
};

std::vector<Slice> slices_of(const std::vector<MergedPoint>& merged, std::size_t most) {
  return decimated(merged.size(), most, [&merged](std::size_t i) -> Slice {
    const MergedPoint& point = merged[i];
    const auto x = static_cast<double>(point.position);
    const double median = point.median;
    return {x, point.min, point.max, median, median, median, point.ranks > 0, point.not_finite};
  });
}

struct Axes {
  Axis x;
  Axis y;
};

// The range of all curves, with some room above and below.
Axes axes_of(const std::vector<NamedCurve>& curves, const Scene& scene) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low = infinity;
  double high = -infinity;
  double from = infinity;
  double to = -infinity;
  for (const NamedCurve& curve : curves) {
    for (const Slice& slice : curve.slices) {
      from = std::min(from, slice.x);
      to = std::max(to, slice.x);
      if (!slice.finite) continue;
      low = std::min(low, slice.low);
      high = std::max(high, slice.high);
    }
  }
  if (from > to) from = to = 0;
  if (low > high) low = high = 0;
  const double room = high > low ? (high - low) * 0.05 : std::max(1e-9, std::abs(high) * 0.1 + 0.1);
  const double bottom = low >= 0 ? std::max(0.0, low - room) : low - room;
  return {{from, to > from ? to : from + 1, left_edge, scene.width - right_edge},
          {bottom, high + room, scene.height - bottom_edge, top_edge}};
}

void add_axes(Scene& scene, const Axes& axes) {
  for (const double value : round_numbers(axes.y.from, axes.y.to, 7)) {
    const double y = axes.y.pixel(value);
    scene.shapes.emplace_back(Polyline{{{axes.x.begin, y}, {axes.x.end, y}}, grid_color, 1});
    scene.shapes.emplace_back(
        TextLabel{{axes.x.begin - 8, y + 4}, axis_text(value), text_color, text_size, Align::right});
  }
  for (const double value : round_numbers(axes.x.from, axes.x.to, 8)) {
    const double x = axes.x.pixel(value);
    scene.shapes.emplace_back(Polyline{{{x, axes.y.begin}, {x, axes.y.end}}, grid_color, 1});
    scene.shapes.emplace_back(
        TextLabel{{x, axes.y.begin + 18}, axis_text(value), text_color, text_size, Align::centre});
  }
  scene.shapes.emplace_back(
      TextLabel{{axes.x.end, scene.height - 8.0}, "step", text_color, text_size, Align::right});
  scene.shapes.emplace_back(TextLabel{{12, top_edge - 12}, "loss", text_color, text_size, Align::left});
}

void add_dots(Scene& scene, const Axes& axes, const NamedCurve& curve) {
  constexpr std::size_t most = 100;
  if (curve.slices.size() > most) return;
  for (const Slice& slice : curve.slices) {
    const PixelPoint at{axes.x.pixel(slice.x), axes.y.pixel(slice.middle)};
    if (slice.finite) scene.shapes.emplace_back(Polyline{{at, at}, curve.color, 5});
  }
}

// Calls `draw(begin, end)` for each run of consecutive slices that have numbers.
template <typename Draw>
void each_stretch(const std::vector<Slice>& slices, Draw&& draw) {
  const auto is_finite = [](const Slice& slice) { return slice.finite; };
  auto begin = std::find_if(slices.begin(), slices.end(), is_finite);
  while (begin != slices.end()) {
    const auto end = std::find_if_not(begin, slices.end(), is_finite);
    draw(begin, end);
    begin = std::find_if(end, slices.end(), is_finite);
  }
}

void add_band(Scene& scene, const Axes& axes, const NamedCurve& curve) {
  Color color = curve.color;
  color.opacity = band_opacity;
  each_stretch(curve.slices, [&](auto begin, auto end) {
    Area area{{}, color};
    for (auto slice = begin; slice != end; ++slice)
      area.points.push_back({axes.x.pixel(slice->x), axes.y.pixel(slice->high)});
    for (auto slice = end; slice-- != begin;)
      area.points.push_back({axes.x.pixel(slice->x), axes.y.pixel(slice->low)});
    scene.shapes.emplace_back(std::move(area));
  });
}

void add_curve(Scene& scene, const Axes& axes, const NamedCurve& curve) {
  each_stretch(curve.slices, [&](auto begin, auto end) {
    Polyline line{{}, curve.color, 1.6};
    for (auto slice = begin; slice != end; ++slice) {
      const double x = axes.x.pixel(slice->x);
      if (slice->middle_high != slice->middle_low)
        line.points.push_back({x, axes.y.pixel(slice->middle_high)});
      line.points.push_back({x, axes.y.pixel(slice->middle_low)});
    }
    scene.shapes.emplace_back(std::move(line));
  });
  if (curve.dotted) add_dots(scene, axes, curve);
  for (const Slice& slice : curve.slices) {
    const double x = axes.x.pixel(slice.x);
    if (slice.not_finite > 0)
      scene.shapes.emplace_back(Polyline{{{x, axes.y.begin - 5}, {x, axes.y.begin}}, bad_color, 2});
  }
}

// To where the texts of marks reach in each of a few rows at the top of the plot.
using TextRows = std::array<double, 4>;

// Adds a text beside a line at `x`, away from the nearer edge, if a row has room for it.
void add_mark_text(Scene& scene, const Axes& axes, TextRows& taken_to, double x, const std::string& text) {
  constexpr double distance = 5;
  constexpr double width_of_character = text_size * 0.6;
  const double width = static_cast<double>(text.size()) * width_of_character + 2 * distance;
  const bool is_right = x + width <= axes.x.end;
  const double from = is_right ? x : x - width;
  const auto row = std::find_if(taken_to.begin(), taken_to.end(), [from](double to) { return from >= to; });
  if (row == taken_to.end()) return;
  *row = from + width;
  const auto number = static_cast<double>(row - taken_to.begin());
  const PixelPoint at{is_right ? x + distance : x - distance, axes.y.end + (number + 1) * (text_size + 3)};
  scene.shapes.emplace_back(
      TextLabel{at, text, text_color, text_size, is_right ? Align::left : Align::right});
}

void add_marks(Scene& scene, const Axes& axes, const std::vector<NamedCurve>& curves) {
  constexpr std::size_t most_bytes = 60;
  TextRows taken_to;
  taken_to.fill(left_edge);
  for (const NamedCurve& curve : curves) {
    Color color = curve.color;
    color.opacity = mark_opacity;
    for (const RunAttempt& attempt : curve.attempts) {
      const double x = axes.x.pixel(static_cast<double>(attempt.begin->position));
      scene.shapes.emplace_back(Polyline{{{x, axes.y.begin}, {x, axes.y.end}}, color, 1.2});
      add_mark_text(scene, axes, taken_to, x, base::clean_line(attempt.change, most_bytes));
    }
  }
}

void add_names(Scene& scene, const std::vector<NamedCurve>& curves) {
  double y = 20;
  const double x = scene.width - right_edge;
  for (const NamedCurve& curve : curves) {
    const std::string name = curve.slices.empty() ? curve.name + " (no loss)" : curve.name;
    scene.shapes.emplace_back(Polyline{{{x - 18, y - 4}, {x, y - 4}}, curve.color, 3});
    scene.shapes.emplace_back(TextLabel{{x - 26, y}, name, text_color, text_size, Align::right});
    y += text_size + 5;
  }
}

}  // namespace

Scene loss_plot(std::span<const NamedRun> runs) {
  Scene scene;
  const auto most = static_cast<std::size_t>(scene.width - left_edge - right_edge);
  std::vector<NamedCurve> curves;
  const auto add = [&](const std::string& name, const std::vector<MergedPoint>& points, bool dotted) {
    curves.push_back({name, palette[curves.size() % palette.size()], slices_of(points, most), dotted, {}});
  };
  for (const NamedRun& run : runs) {
    add(run.name, run.run->merged(), false);
    for (const RunAttempt& attempt : run.run->attempts())
      if (attempt.has_mark()) curves.back().attempts.push_back(attempt);
    const std::vector<MergedPoint>& validation = run.run->merged_validation();
    if (!validation.empty()) add(run.name + " validation", validation, true);
  }
  const Axes axes = axes_of(curves, scene);
  add_axes(scene, axes);
  for (const NamedCurve& curve : curves) add_band(scene, axes, curve);
  for (const NamedCurve& curve : curves) add_curve(scene, axes, curve);
  add_marks(scene, axes, curves);
  add_names(scene, curves);
  return scene;
}

}  // namespace adarun::monitor::plot
