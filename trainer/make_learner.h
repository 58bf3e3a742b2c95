// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/options/options.h"
#include "trainer/reducers/learner.h"

namespace adarun::trainer {

/// Makes the learner of `options` for the tensors of `model`; all arguments but `options` must outlive it.
/// Collective. Throws Error, for dim_reduce as load_basis() does.
Learner make_learner(const Model& model, Weights& weights, const ReduceContext& context,
                     const TrainerOptions& options);

}  // namespace adarun::trainer
