// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/boost/grad_freeze.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/options/options.h"
#include "trainer/reducers/learner.h"

namespace adarun::trainer {

/// The layers of a model that less_bn changes.
LayerOptions layer_options(const BoostOptions& boost);

/// The trainable tensors of `model` as its optimizer sees them. If centralizes_gradients(), those gradients
/// of weights are centralized that have a second dimension divisible by 16 and are not of a normalized layer.
OptimizedTensors optimized_tensors(const Model& model, const TrainerOptions& options);

/// The groups of grad_freeze. Biases and normalizations continue a chunk, except those of shortcuts.
FreezeGroups freeze_groups_of(const Model& model, const GradFreezeOptions& options);

/// Makes the learner of `options` for the tensors of `model`; all arguments but `options` must outlive it.
/// Collective. Throws Error, for dim_reduce as load_basis() does.
Learner make_learner(const Model& model, Weights& weights, const ReduceContext& context,
                     const TrainerOptions& options);

}  // namespace adarun::trainer
