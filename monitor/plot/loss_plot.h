// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "monitor/plot/picture.h"
#include "monitor/series/run.h"

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

/// A run and its name in a plot. Borrows the run.
struct NamedRun {
  std::string name;
  const Run* run = nullptr;
};

/// Plots the loss over the steps: for each run the median over its ranks, and the band from the lowest to the
/// highest, and the loss of its validations as a curve of its own, with dots. Red marks at the bottom show
/// where some rank has nan or inf, vertical lines where a further attempt at the job begins, with the change
/// that led to it where there is room. Runs without a loss are named but not drawn.
Scene loss_plot(std::span<const NamedRun> runs);

}  // namespace adarun::monitor::plot
