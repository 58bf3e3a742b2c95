// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/raster.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/clean_text.h"

namespace adarun::monitor::plot {
namespace {

// Characters from ' ' to '~', on a grid of 5 columns and 9 rows. A point is a digit for the column and one
// for the row: row 2 is the baseline, 6 the top of an x, 8 the top of an X. Spaces separate the points of a
// stroke, commas the strokes.
constexpr std::array<std::string_view, 95> glyphs{"",
                                                  "28 24,22 22",
                                                  "18 16,38 36",
                                                  "12 18,32 38,04 44,06 46",
                                                  "47 38 18 07 06 15 35 44 43 32 12 03,28 22",
                                                  "08 18 17 07 08,33 43 42 32 33,02 48",
                                                  "42 17 18 28 27 04 03 12 22 44",
                                                  "28 26",
                                                  "38 26 24 32",
                                                  "18 26 24 12",
                                                  "27 23,06 44,04 46",
                                                  "27 23,05 45",
                                                  "23 22 11",
                                                  "15 35",
                                                  "22 22",
                                                  "02 48",
                                                  "18 38 47 43 32 12 03 07 18",
                                                  "16 28 22",
                                                  "07 18 38 47 46 02 42",
                                                  "07 18 38 47 46 35 44 43 32 12 03,15 35",
                                                  "32 38 04 44",
                                                  "48 08 05 35 44 43 32 12 03",
                                                  "47 38 18 07 03 12 32 43 44 35 15 04",
                                                  "08 48 12",
                                                  "15 06 07 18 38 47 46 35 15 04 03 12 32 43 44 35",
                                                  "03 12 32 43 47 38 18 07 06 15 35 46",
                                                  "26 26,23 23",
                                                  "26 26,23 22 11",
                                                  "37 05 33",
                                                  "04 44,06 46",
                                                  "17 45 13",
                                                  "07 18 38 47 46 25 24,22 22",
                                                  "34 26 15 14 23 34 36,34 43 47 38 18 07 03 12 32",
                                                  "02 28 42,14 34",
                                                  "02 08 38 47 46 35 05,35 44 43 32 02",
                                                  "47 38 18 07 03 12 32 43",
                                                  "02 08 28 47 43 22 02",
                                                  "48 08 02 42,05 35",
                                                  "48 08 02,05 35",
                                                  "47 38 18 07 03 12 32 43 45 25",
                                                  "02 08,42 48,05 45",
                                                  "22 28,12 32,18 38",
                                                  "38 33 22 12 03",
                                                  "02 08,48 05 42",
                                                  "08 02 42",
                                                  "02 08 25 48 42",
                                                  "02 08 42 48",
                                                  "18 38 47 43 32 12 03 07 18",
                                                  "02 08 38 47 46 35 05",
                                                  "18 38 47 43 32 12 03 07 18,24 42",
                                                  "02 08 38 47 46 35 05,25 42",
                                                  "47 38 18 07 06 15 35 44 43 32 12 03",
                                                  "08 48,28 22",
                                                  "08 03 12 32 43 48",
                                                  "08 22 48",
                                                  "08 12 26 32 48",
                                                  "02 48,08 42",
                                                  "08 25 48,25 22",
                                                  "08 48 02 42",
                                                  "38 28 22 32",
                                                  "08 42",
                                                  "18 28 22 12",
                                                  "06 28 46",
                                                  "01 41",
                                                  "18 27",
                                                  "16 36 45 42,44 14 03 12 32 43",
                                                  "08 02,05 16 36 45 43 32 12 03",
                                                  "45 36 16 05 03 12 32 43",
                                                  "48 42,45 36 16 05 03 12 32 43",
                                                  "04 44 45 36 16 05 03 12 32 43",
                                                  "48 38 27 22,16 36",
                                                  "46 41 30 10 01,45 36 16 05 03 12 32 43",
                                                  "08 02,05 16 36 45 42",
                                                  "26 22,28 28",
                                                  "36 31 20 10,38 38",
                                                  "08 02,46 04 42",
                                                  "28 22",
                                                  "02 06,05 16 25 22,25 36 45 42",
                                                  "02 06,05 16 36 45 42",
                                                  "16 36 45 43 32 12 03 05 16",
                                                  "06 00,05 16 36 45 43 32 12 03",
                                                  "46 40,45 36 16 05 03 12 32 43",
                                                  "02 06,05 16 36",
                                                  "45 36 16 05 14 34 43 32 12 03",
                                                  "28 23 32 42,06 46",
                                                  "06 03 12 32 43,46 42",
                                                  "06 22 46",
                                                  "06 12 25 32 46",
                                                  "02 46,06 42",
                                                  "06 22,46 10",
                                                  "06 46 02 42",
                                                  "38 27 26 15 24 23 32",
                                                  "28 21",
                                                  "18 27 26 35 24 23 12",
                                                  "04 16 34 46"};

constexpr double units_per_size = 9.5;  // rows in a line
constexpr double advance = 5.6;         // columns from one character to the next

std::string_view glyph_of(char c) {
  return c >= ' ' && c <= '~' ? glyphs[static_cast<std::size_t>(c - ' ')] : glyphs['?' - ' '];
}

constexpr int rows_per_pixel = 4;

double distance(PixelPoint at, PixelPoint from, PixelPoint to) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double length = dx * dx + dy * dy;
  const double along =
      length > 0 ? std::clamp(((at.x - from.x) * dx + (at.y - from.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(at.x - from.x - along * dx, at.y - from.y - along * dy);
}

int pixel(double value, int most) {
  return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(most)));
}

/// How much of each pixel a shape covers, 0 to 1, and the range of rows and columns that it touches.
class Coverage {
 public:
  Coverage(int width, int height)
      : width_(width),
        height_(height),
        parts_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  /// Adds a stroke. Where strokes of one shape overlap, a pixel is covered once.
  void add_stroke(PixelPoint from, PixelPoint to, double width);

  /// Adds the area of the polygon, by the even-odd rule where its edges cross.
  void add_area(const std::vector<PixelPoint>& points);

  /// Calls `paint(x, y, part)` for each covered pixel, then clears the coverage.
  template <typename Paint>
  void take(Paint&& paint) {
    for (int y = top_; y < bottom_; ++y) {
      for (int x = left_; x < right_; ++x) {
        float& part = at(x, y);
        if (part > 0) paint(x, y, std::min(1.0F, part));
        part = 0;
      }
    }
    left_ = top_ = 1 << 30;
    right_ = bottom_ = 0;
  }

 private:
  float& at(int x, int y) {
    return parts_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                  static_cast<std::size_t>(x)];
  }
  void touch(double left, double top, double right, double bottom);
  void add_span(int y, double from, double to, float part);

  int width_;
  int height_;
  std::vector<float> parts_;
  int left_ = 1 << 30;
  int top_ = 1 << 30;
  int right_ = 0;
  int bottom_ = 0;
};

void Coverage::touch(double left, double top, double right, double bottom) {
  left_ = std::min(left_, pixel(std::floor(left), width_));
  top_ = std::min(top_, pixel(std::floor(top), height_));
  right_ = std::max(right_, pixel(std::ceil(right), width_));
  bottom_ = std::max(bottom_, pixel(std::ceil(bottom), height_));
}

void Coverage::add_stroke(PixelPoint from, PixelPoint to, double width) {
  const double reach = width / 2 + 1;
  const double left = std::min(from.x, to.x) - reach;
  const double right = std::max(from.x, to.x) + reach;
  const double top = std::min(from.y, to.y) - reach;
  const double bottom = std::max(from.y, to.y) + reach;
  touch(left, top, right, bottom);
  for (int y = pixel(std::floor(top), height_); y < pixel(std::ceil(bottom), height_); ++y) {
    for (int x = pixel(std::floor(left), width_); x < pixel(std::ceil(right), width_); ++x) {
      const double part = width / 2 + 0.5 - distance({x + 0.5, y + 0.5}, from, to);
      at(x, y) = std::max(at(x, y), static_cast<float>(std::clamp(part, 0.0, std::min(1.0, width))));
    }
  }
}

void Coverage::add_span(int y, double from, double to, float part) {
  from = std::clamp(from, 0.0, static_cast<double>(width_));
  to = std::clamp(to, 0.0, static_cast<double>(width_));
  for (int x = static_cast<int>(from); x < to; ++x)
    at(x, y) += part * static_cast<float>(std::min(to, x + 1.0) - std::max(from, static_cast<double>(x)));
}

void Coverage::add_area(const std::vector<PixelPoint>& points) {
  if (points.size() < 3) return;
  double top = points[0].y;
  double bottom = top;
  for (const PixelPoint& point : points) {
    top = std::min(top, point.y);
    bottom = std::max(bottom, point.y);
  }
  touch(0, top, width_, bottom);
  std::vector<double> crossings;
  for (int row = pixel(std::floor(top), height_) * rows_per_pixel;
       row < pixel(std::ceil(bottom), height_) * rows_per_pixel; ++row) {
    const double y = (row + 0.5) / rows_per_pixel;
    crossings.clear();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const PixelPoint& a = points[i];
      const PixelPoint& b = points[(i + 1) % points.size()];
      if ((a.y <= y) != (b.y <= y)) crossings.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
    }
    std::sort(crossings.begin(), crossings.end());
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
      add_span(row / rows_per_pixel, crossings[i], crossings[i + 1], 1.0F / rows_per_pixel);
  }
}

/// Draws shapes on a bitmap, one after the other.
class ShapePainter {
 public:
  ShapePainter(Bitmap& bitmap, double scale)
      : bitmap_(bitmap), scale_(scale), coverage_(bitmap.width, bitmap.height) {}

  void draw(const Polyline& line) {
    stroke(line.points, line.width);
    paint(line.color);
  }

  void draw(const Area& area) {
    std::vector<PixelPoint> points;
    for (const PixelPoint& point : area.points) points.push_back(scaled(point));
    coverage_.add_area(points);
    paint(area.color);
  }

  void draw(const TextLabel& label) {
    for (const auto& points : strokes_of(label.text, label.at, label.size, label.align))
      stroke(points, label.size / 11);
    paint(label.color);
  }

 private:
  PixelPoint scaled(PixelPoint point) const { return {point.x * scale_, point.y * scale_}; }

  void stroke(const std::vector<PixelPoint>& points, double width) {
    for (std::size_t i = 0; i + 1 < std::max<std::size_t>(points.size(), 2); ++i)
      if (!points.empty())
        coverage_.add_stroke(scaled(points[i]), scaled(points[std::min(i + 1, points.size() - 1)]),
                             width * scale_);
  }

  void paint(const Color& color) {
    coverage_.take([&](int x, int y, float part) {
      std::uint8_t* pixel =
          &bitmap_.bytes[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(bitmap_.width) +
                              static_cast<std::size_t>(x))];
      const double over = part * color.opacity;
      const auto mix = [&](std::uint8_t& below, std::uint8_t above) {
        below = static_cast<std::uint8_t>(std::lround(below + over * (above - below)));
      };
      mix(pixel[0], color.red);
      mix(pixel[1], color.green);
      mix(pixel[2], color.blue);
    });
  }

  Bitmap& bitmap_;
  double scale_;
  Coverage coverage_;
};

}  // namespace

double width_of(std::string_view text, double size) {
  double characters = 0;
  for (const char c : text)
    if (!base::continues_code_point(c)) ++characters;
  return characters * advance * size / units_per_size;
}

std::vector<std::vector<PixelPoint>> strokes_of(std::string_view text, PixelPoint at, double size,
                                                Align align) {
  const double unit = size / units_per_size;
  const double width = width_of(text, size);
  if (align == Align::centre) at.x -= width / 2;
  if (align == Align::right) at.x -= width;
  std::vector<std::vector<PixelPoint>> strokes;
  for (const char c : text) {
    if (base::continues_code_point(c)) continue;
    const std::string_view glyph = glyph_of(c);
    for (std::size_t i = 0; i + 1 < glyph.size(); i += 3) {
      if (i == 0 || glyph[i - 1] == ',') strokes.emplace_back();
      strokes.back().push_back({at.x + (glyph[i] - '0' + 0.5) * unit, at.y - (glyph[i + 1] - '2') * unit});
    }
    at.x += advance * unit;
  }
  return strokes;
}

Color Bitmap::at(int x, int y) const {
  const std::uint8_t* pixel = &bytes[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                          static_cast<std::size_t>(x))];
  return {pixel[0], pixel[1], pixel[2]};
}

Bitmap rasterise(const Scene& scene, double scale) {
  Bitmap bitmap(static_cast<int>(std::lround(scene.width * scale)),
                static_cast<int>(std::lround(scene.height * scale)));
  ShapePainter painter(bitmap, scale);
  for (const Shape& shape : scene.shapes) std::visit([&](const auto& each) { painter.draw(each); }, shape);
  return bitmap;
}

}  // namespace adarun::monitor::plot
