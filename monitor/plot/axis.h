// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::monitor::plot {

/// One axis of a plot: maps values in [from, to] to pixels in [begin, end].
struct Axis {
  double from = 0;
  double to = 1;
  double begin = 0;
  double end = 1;

  double pixel(double value) const { return begin + (value - from) / (to - from) * (end - begin); }
};

/// About `count` round numbers in [from, to]; their distance is one, two or five times a power of ten.
std::vector<double> round_numbers(double from, double to, int count);

/// A number as an axis label: 0.05, 1500, 2M.
std::string axis_text(double value);

}  // namespace adarun::monitor::plot
