// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/coverage.h"

#include <cmath>

namespace adarun::monitor::plot {
namespace {

constexpr int rows_per_pixel = 4;

double distance(Place at, Place from, Place to) {
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

}  // namespace

void Coverage::touch(double left, double top, double right, double bottom) {
  left_ = std::min(left_, pixel(std::floor(left), width_));
  top_ = std::min(top_, pixel(std::floor(top), height_));
  right_ = std::max(right_, pixel(std::ceil(right), width_));
  bottom_ = std::max(bottom_, pixel(std::ceil(bottom), height_));
}

void Coverage::add_stroke(Place from, Place to, double width) {
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

void Coverage::add_area(const std::vector<Place>& places) {
  if (places.size() < 3) return;
  double top = places[0].y;
  double bottom = top;
  for (const Place& place : places) {
    top = std::min(top, place.y);
    bottom = std::max(bottom, place.y);
  }
  touch(0, top, width_, bottom);
  std::vector<double> crossings;
  for (int row = pixel(std::floor(top), height_) * rows_per_pixel;
       row < pixel(std::ceil(bottom), height_) * rows_per_pixel; ++row) {
    const double y = (row + 0.5) / rows_per_pixel;
    crossings.clear();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& a = places[i];
      const Place& b = places[(i + 1) % places.size()];
      if ((a.y <= y) != (b.y <= y)) crossings.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
    }
    std::sort(crossings.begin(), crossings.end());
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
      add_span(row / rows_per_pixel, crossings[i], crossings[i + 1], 1.0F / rows_per_pixel);
  }
}

}  // namespace adarun::monitor::plot
