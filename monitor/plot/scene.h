// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace adarun::monitor::plot {

/// A point in a picture, in pixels from the upper left corner.
struct PixelPoint {
  double x = 0;
  double y = 0;

  bool operator==(const PixelPoint&) const = default;
};

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  double opacity = 1;

  bool operator==(const Color&) const = default;
};

/// A line through these points with round ends and corners.
struct Polyline {
  std::vector<PixelPoint> points;
  Color color;
  double width = 1;
};

/// The polygon with these corners.
struct Area {
  std::vector<PixelPoint> points;
  Color color;
};

enum class Align { left, centre, right };

/// One line of text; `at` is on its baseline.
struct TextLabel {
  PixelPoint at;
  std::string text;
  Color color;
  double size = 12;  ///< Height of a line, in pixels.
  Align align = Align::left;
};

using Shape = std::variant<Polyline, Area, TextLabel>;

/// A picture: shapes on white, later ones drawn over earlier ones.
struct Scene {
  int width = 960;   ///< Pixels.
  int height = 540;  ///< Pixels.
  std::vector<Shape> shapes;
};

}  // namespace adarun::monitor::plot
