// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::monitor::plot {

/// What one axis of a plot shows, and where: values in [from, to] between the pixels `begin` and `end`.
struct Axis {
  double from = 0;
  double to = 1;
  double begin = 0;
  double end = 1;

  double pixel(double value) const { return begin + (value - from) / (to - from) * (end - begin); }
};

/// Round numbers in [from, to], one, two or five times a power of ten apart, about `count` of them.
std::vector<double> round_numbers(double from, double to, int count);

/// A number as an axis has it: 0.05, 1500, 2M.
std::string axis_text(double value);

}  // namespace adarun::monitor::plot
