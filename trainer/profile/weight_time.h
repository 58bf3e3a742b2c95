// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/models/model.h"
#include "trainer/planner/model/graph.h"

namespace adarun::trainer {

/// The time of a weight in a step of momentum, and in AdaSum of two gradients: the median of `passes` passes,
/// after one that is not measured. Weights are drawn, gradients zero.
planner::WeightTime measure_weight_time(const Model& model, int passes);

}  // namespace adarun::trainer
