// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/base/progress.h"
#include "trainer/callbacks/callback.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/options/options.h"
#include "trainer/reducers/learner.h"

namespace adarun::trainer {

/// What one rank trains, on what, with whom, and who is told. All of it outlives the training.
struct Training {
  const Model& model;
  Weights& weights;
  Learner& learner;
  const Dataset& dataset;
  adasum::Communicator& communicator;
  std::vector<Callback*> callbacks;  ///< Called in this order.
  Position start = {};
};

/// Trains `training.weights` to the end of options.epochs epochs (or max_steps steps). Collective over the
/// communicator, which must begin with equal weights. Throws Error, adasum::Error, and what callbacks
/// throw.
///
/// Gradients that hold NaN or an infinity, on whatever rank, move no weight: every rank leaves the step out
/// where the loss scale allows that, and else ends with Error once every rank's callbacks have been told.
void train(const Training& training, const TrainerOptions& options);

/// The learner of `options` for the tensors of `model`, which outlive it like the others. Collective.
Learner make_learner(const Model& model, Weights& weights, const ReduceContext& context,
                     const TrainerOptions& options);

}  // namespace adarun::trainer
