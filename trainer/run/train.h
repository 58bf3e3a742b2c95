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
#include "trainer/parallel/split_run.h"
#include "trainer/reducers/learner.h"

namespace adarun::trainer {

/// The objects of one rank's training. All must outlive it.
struct Training {
  const Model& model;
  Weights& weights;
  Learner& learner;
  const Dataset& dataset;
  adasum::Communicator& communicator;
  std::vector<Callback*> callbacks;  ///< Called in this order.
  Position start = {};
  SplitRun* split = nullptr;  ///< Where layers are split over ranks.
};

/// Trains `training.weights` until options.epochs epochs (or max_steps steps) are complete. Collective over
/// the communicator; weights must be equal on all ranks at the start. Throws Error, adasum::Error, and what
/// callbacks throw.
///
/// If gradients on any rank hold NaN or an infinity, no weight changes: every rank skips the step if the loss
/// scale allows it, else it throws Error after the callbacks of every rank have been called.
void train(const Training& training, const TrainerOptions& options);

}  // namespace adarun::trainer
