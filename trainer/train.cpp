// SPDX-License-Identifier: Apache-2.0
#include "trainer/train.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainer/data/loader.h"
#include "trainer/error.h"
#include "trainer/passes.h"

namespace adarun::trainer {
namespace {

/// Ends the training, on all ranks alike, since `what` of a rank is not finite.
[[noreturn]] void refuse_not_finite(const Training& training, const Progress& at, int rank, const std::string& what) {
  for (Callback* callback : training.callbacks) callback->not_finite(at, rank);
  training.combiner.wait_for_all();  // the first one to throw ends the others, who have something to say too
  throw Error("epoch " + std::to_string(at.epoch) + " step " + std::to_string(at.step) + ": the " + what +
              " of rank " + std::to_string(rank) + " hold NaN or infinity");
}

/// One step of all ranks, from each one's own gradients.
void update(const Training& training, const Progress& at, Optimizer& optimizer, AdasumOn adasum_on) {
  Weights& weights = training.weights;
  Combiner& combiner = training.combiner;
  if (const auto rank = combiner.first_not_finite(weights.gradients()))
    refuse_not_finite(training, at, *rank, "gradients");
  if (adasum_on == AdasumOn::gradient) {
    combiner.combine(weights.gradients(), weights.counts());
    optimizer.step(weights.values(), weights.gradients());
    return;
  }
  combiner.begin_delta(weights.values(), weights.counts());
  optimizer.step(weights.values(), weights.gradients());
  if (const auto rank = combiner.end_delta()) refuse_not_finite(training, at, *rank, "weights");
}

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, const Model& model,
                                          const Weights& weights) {
  std::vector<OptimizedTensor> tensors;
  for (std::size_t t = 0; t < model.parameters.size(); ++t) {
    tensors.push_back({weights.counts()[t], !model.parameters[t].is_bias()});
  }
  return make_optimizer(options, std::move(tensors));
}

void train(const Training& training, const Options& options) {
  const auto& [model, weights, dataset, shard, combiner, callbacks] = training;
  Loader loader(dataset, shard, static_cast<std::size_t>(options.batch_size), model.side, options.seed);
  const auto optimizer = make_optimizer(options.optimizer, model, weights);
  int steps_left = options.max_steps > 0 ? options.max_steps : std::numeric_limits<int>::max();

  for (int epoch = 1; epoch <= options.epochs && steps_left > 0; ++epoch) {
    for (Callback* callback : callbacks) callback->epoch_begin(epoch);
    loader.start(epoch);
    Progress progress{epoch, 0, 0};
    const int steps = std::min(loader.steps(), steps_left);
    for (int step = 1; step <= steps; ++step) {
      const float loss = compute_gradients(model, weights, loader.batch(step), options.label_smoothing);
      progress = {epoch, step, loss};
      update(training, progress, *optimizer, options.adasum_on);
      for (Callback* callback : callbacks) callback->step_end(progress);
    }
    for (Callback* callback : callbacks) callback->epoch_end(progress);
    steps_left -= steps;
  }
}

}  // namespace adarun::trainer
