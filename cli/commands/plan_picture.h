// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/plot/picture.h"
#include "trainer/planner/plan/report.h"

namespace adarun::cli {

/// A line for each layer: how it is split (a square of weights: columns are parts of the outputs, lines those
/// of the inputs), its strategy, and a bar of its time in a step; below, the whole step and that of data
/// parallel training.
monitor::plot::Scene plan_picture(const planner::PlanReport& report);

}  // namespace adarun::cli
