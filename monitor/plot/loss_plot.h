// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "monitor/plot/scene.h"
#include "monitor/series/run.h"

namespace adarun::monitor::plot {

/// A run as a plot has it. Borrows the run.
struct NamedRun {
  std::string name;
  const Run* run = nullptr;
};

/// The loss over the steps: of each run the median over its ranks, and the band from the lowest to the
/// highest. Red marks below: some rank has nan or inf there. Runs without a loss are named and not drawn.
Scene loss_plot(std::span<const NamedRun> runs);

}  // namespace adarun::monitor::plot
