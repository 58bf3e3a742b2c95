// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "monitor/plot/scene.h"
#include "monitor/series/run.h"

namespace adarun::monitor::plot {

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
