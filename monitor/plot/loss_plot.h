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
/// highest. Red marks at the bottom show where some rank has nan or inf. Runs without a loss are named but
/// not drawn.
Scene loss_plot(std::span<const NamedRun> runs);

}  // namespace adarun::monitor::plot
