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

struct Bitmap;

/// The bitmap as a PNG file (8 bits per channel, no transparency). Throws Error if it cannot be compressed.
std::string png(const Bitmap& bitmap);

/// The picture as an SVG document.
std::string svg(const Scene& scene);

/// Why no picture can be written to a file of this name; empty: one can, it ends in .svg or .png.
std::string picture_problem(const std::string& name);

/// The picture as a file of the kind that its name says.
std::string picture(const Scene& scene, const std::string& name);

}  // namespace adarun::monitor::plot
