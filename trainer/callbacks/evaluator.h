// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "adasum/communicators/communicator.h"
#include "trainer/callbacks/callback.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/data/shard.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/parallel/split_run.h"

namespace adarun::trainer {

/// The share of correct answers over the whole of `dataset`. Each rank evaluates its shard, and counts are
/// summed over the ranks, so each image counts once. First replaces Weights::buffers() (statistics of the
/// data) by their mean over the ranks. Collective.
double accuracy(const Model& model, Weights& weights, const Dataset& dataset,
                adasum::Communicator& communicator);

/// The same where layers are split over ranks: each replica evaluates its shard.
double accuracy(SplitRun& split, Weights& weights, const Dataset& dataset);

/// Measures and prints accuracy after each epoch, and after every `steps` steps of an epoch unless `steps` is
/// 0. The constructor's arguments must outlive it.
class Evaluator : public Callback {
 public:
  Evaluator(Print print, adasum::Communicator& communicator, const Model& model, Weights& weights,
            const Dataset& dataset, int steps, SplitRun* split = nullptr)
      : print_(std::move(print)),
        communicator_(communicator),
        model_(model),
        weights_(weights),
        dataset_(dataset),
        steps_(steps),
        split_(split) {}

  void step_end(const Progress& progress) override;
  void epoch_end(const Progress& last) override;

  /// The accuracy after the last completed epoch; if there is none, that of the current weights. Collective.
  double accuracy();

 private:
  double measure();

  Print print_;
  adasum::Communicator& communicator_;
  const Model& model_;
  Weights& weights_;
  const Dataset& dataset_;
  int steps_;
  SplitRun* split_;
  std::optional<double> accuracy_;
};

}  // namespace adarun::trainer
