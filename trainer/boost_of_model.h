// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/boost/freeze_groups.h"
#include "trainer/models/model.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/options/options.h"

namespace adarun::trainer {

/// The layers of a model that less_bn changes.
LayerOptions layer_options(const BoostOptions& boost);

/// The trainable tensors of `model` as its optimizer sees them. If centralizes_gradients(), those gradients
/// of weights are centralized that have a second dimension divisible by 16 and are not of a normalized layer.
OptimizedTensors optimized_tensors(const Model& model, const TrainerOptions& options);

/// The groups of grad_freeze. Biases and normalizations continue a chunk, except those of shortcuts.
FreezeGroups freeze_groups_of(const Model& model, const GradFreezeOptions& options);

}  // namespace adarun::trainer
