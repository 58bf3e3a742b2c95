// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trainer/base/progress.h"
#include "trainer/callbacks/callback.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/data/shard.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/options/options.h"
#include "trainer/reducers/combiner.h"
#include "trainer/reducers/learner.h"

namespace adarun::trainer {

/// What one rank trains, on what, with whom, and who is told. All of it outlives the training.
struct Training {
  const Model& model;
  Weights& weights;
  Learner& learner;
  const Dataset& dataset;
  Shard shard;
  Combiner& combiner;
  std::vector<Callback*> callbacks;  ///< Called in this order.
  Position start = {};
};

/// Trains `training.weights` to the end of options.epochs epochs (or max_steps steps). Collective over the
/// combiner's ranks; which must begin with equal weights. Throws Error, adasum::Error, and what callbacks
/// throw.
///
/// Gradients that hold NaN or an infinity, on whatever rank, move no weight: every rank leaves the step out
/// where the loss scale allows that, and else ends with Error once every rank's callbacks have been told.
void train(const Training& training, const Options& options);

/// The learner of `options` for the tensors of `model`, which outlive it like the others. Where the optimizer
/// is sharded, collective over `communicator`.
Learner make_learner(const Model& model, Weights& weights, Combiner& combiner, const Options& options,
                     adasum::Communicator& communicator);

}  // namespace adarun::trainer
