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

namespace adarun::trainer {

/// The share of right answers over the whole of `dataset`: each rank measures its shard, and counts are
/// summed over ranks, so that each image counts once. What models keep of the data (Weights::buffers())
/// becomes the mean over the ranks first. Collective.
double accuracy(const Model& model, Weights& weights, const Dataset& dataset,
                adasum::Communicator& communicator);

/// Measures accuracy after each epoch, and after every `steps` steps of one where that is not 0, and prints
/// it. What it is made with must outlive it.
class Evaluator : public Callback {
 public:
  Evaluator(Print print, adasum::Communicator& communicator, const Model& model, Weights& weights,
            const Dataset& dataset, int steps)
      : print_(std::move(print)),
        communicator_(communicator),
        model_(model),
        weights_(weights),
        dataset_(dataset),
        steps_(steps) {}

  void step_end(const Progress& progress) override;
  void epoch_end(const Progress& last) override;

  /// After the last epoch that ended; where none did, of the weights as they are. Collective.
  double accuracy();

 private:
  Print print_;
  adasum::Communicator& communicator_;
  const Model& model_;
  Weights& weights_;
  const Dataset& dataset_;
  int steps_;
  std::optional<double> accuracy_;
};

}  // namespace adarun::trainer
