// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/raster.h"

#include <algorithm>
#include <cmath>

#include "monitor/plot/coverage.h"
#include "monitor/plot/strokes.h"

namespace adarun::monitor::plot {
namespace {

/// Draws shapes on a bitmap, one after the other.
class Painter {
 public:
  Painter(Bitmap& bitmap, double scale)
      : bitmap_(bitmap), scale_(scale), coverage_(bitmap.width, bitmap.height) {}

  void draw(const Line& line) {
    stroke(line.places, line.width);
    paint(line.color);
  }

  void draw(const Area& area) {
    std::vector<Place> places;
    for (const Place& place : area.places) places.push_back(scaled(place));
    coverage_.add_area(places);
    paint(area.color);
  }

  void draw(const Label& label) {
    for (const auto& places : strokes_of(label.text, label.at, label.size, label.align))
      stroke(places, label.size / 11);
    paint(label.color);
  }

 private:
  Place scaled(Place place) const { return {place.x * scale_, place.y * scale_}; }

  void stroke(const std::vector<Place>& places, double width) {
    for (std::size_t i = 0; i + 1 < std::max<std::size_t>(places.size(), 2); ++i)
      if (!places.empty())
        coverage_.add_stroke(scaled(places[i]), scaled(places[std::min(i + 1, places.size() - 1)]),
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

Color Bitmap::at(int x, int y) const {
  const std::uint8_t* pixel = &bytes[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                          static_cast<std::size_t>(x))];
  return {pixel[0], pixel[1], pixel[2]};
}

Bitmap rasterise(const Scene& scene, double scale) {
  Bitmap bitmap(static_cast<int>(std::lround(scene.width * scale)),
                static_cast<int>(std::lround(scene.height * scale)));
  Painter painter(bitmap, scale);
  for (const Shape& shape : scene.shapes) std::visit([&](const auto& each) { painter.draw(each); }, shape);
  return bitmap;
}

}  // namespace adarun::monitor::plot
