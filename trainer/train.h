// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trainer/callbacks/callback.h"
#include "trainer/combiner.h"
#include "trainer/data/dataset.h"
#include "trainer/data/shard.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/options.h"

namespace adarun::trainer {

/// What one rank trains, on what, with whom, and who is told. All of it outlives the training.
struct Training {
  const Model& model;
  Weights& weights;
  const Dataset& dataset;
  Shard shard;
  Combiner& combiner;
  std::vector<Callback*> callbacks;  ///< Called in this order.
};

/// Trains `training.weights` for options.epochs epochs (or max_steps steps). Collective over the combiner's
/// ranks; which must begin with equal weights. Throws Error, adasum::Error, and what callbacks throw.
///
/// Gradients that hold NaN or an infinity, on whatever rank, move no weight: every rank leaves the step out
/// where the loss scale allows that, and else ends with Error once every rank's callbacks have been told.
void train(const Training& training, const Options& options);

}  // namespace adarun::trainer
