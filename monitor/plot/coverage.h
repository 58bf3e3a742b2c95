// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "monitor/plot/scene.h"

namespace adarun::monitor::plot {

/// How much of each pixel of a picture a shape covers, 0 to 1, and the rows and columns where it is not 0.
class Coverage {
 public:
  Coverage(int width, int height)
      : width_(width),
        height_(height),
        parts_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  /// Adds a stroke. Where strokes of one shape meet, a pixel is covered once.
  void add_stroke(Place from, Place to, double width);

  /// Adds what the places enclose; where they cross, by the even-odd rule.
  void add_area(const std::vector<Place>& places);

  /// Calls `paint(x, y, part)` for each pixel that is covered, and forgets all.
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

}  // namespace adarun::monitor::plot
