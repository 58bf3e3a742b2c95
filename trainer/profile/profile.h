// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/manual/man_page.h"
#include "trainer/models/model.h"
#include "trainer/planner/model/graph.h"

namespace adarun::trainer {

struct ProfileOptions {
  int batch_size = 32;
  int passes = 5;  ///< Measured ones, after one that is not.
  int parts = 1;   ///< Layers are also measured in 2, 4, ... parts, up to so many.
};

/// The layers of `model` with the time of a sample in each, forward and backward: the median of the passes.
/// What follows a layer (normalization, activation, pooling) counts as part of it, the loss as part of the
/// last one. Weights and images are drawn. In parts: the first part of each layer that can be split so, by
/// output and by input channels, with as many times more images as there are parts, and without messages.
planner::ModelGraph measure_layers(const Model& model, const ProfileOptions& options);

/// The time of a weight in a step of momentum, and in AdaSum of two gradients: the median of `passes` passes,
/// after one that is not measured. Weights are drawn, gradients zero.
planner::WeightTime measure_weight_time(const Model& model, int passes);

namespace profile {

/// `adarun-trainer profile`: writes the layers of a model as adarun plan reads them, with measured times.
/// `argv[0]` is `profile`. Returns the exit status. Throws Error.
int run(int argc, const char* const* argv);

/// Its manual page.
std::vector<manual::Page> man_pages();

}  // namespace profile

}  // namespace adarun::trainer
