// SPDX-License-Identifier: Apache-2.0
#include "trainer/train.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "trainer/base/error.h"
#include "trainer/data/loader.h"
#include "trainer/models/gradient_hooks.h"
#include "trainer/models/passes.h"
#include "trainer/optimizers/sharded.h"

namespace adarun::trainer {
namespace {

/// What `rank` has is not finite, and all ranks know: leaves the step out on all of them, or ends the
/// training.
void drop_or_end(const Training& training, const Progress& at, int rank) {
  if (training.learner.drop_step()) {
    const double scale = training.learner.loss_scale().value();
    for (Callback* callback : training.callbacks) callback->step_dropped(at, rank, scale);
    return;
  }
  for (Callback* callback : training.callbacks) callback->not_finite(at, rank);
  training.combiner.wait_for_all();  // the first one to throw ends the others, who have something to say too
  throw Error("epoch " + std::to_string(at.epoch) + " step " + std::to_string(at.step) +
              ": the gradients of rank " + std::to_string(rank) + " hold NaN or infinity");
}

/// Where the user asks for buckets, gradients are combined while the backward pass goes on.
std::unique_ptr<GradientHooks> combine_early(const Training& training, const Options& options) {
  if (options.bucket_mb == 0) return nullptr;
  Combiner& combiner = training.combiner;
  combiner.combine_early(training.weights.gradients(), training.weights.counts(),
                         static_cast<std::size_t>(options.bucket_mb * 1e6),
                         options.micro_batches * options.local_steps);
  return std::make_unique<GradientHooks>(training.weights,
                                         [&combiner](std::size_t tensor) { combiner.added(tensor); });
}

/// Steps of `epoch` where the training ends after `most` in all; 0: no limit.
int steps_of(int epoch, int steps_per_epoch, int most) {
  if (most == 0) return steps_per_epoch;
  const std::int64_t left = most - std::int64_t{epoch - 1} * steps_per_epoch;
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, steps_per_epoch));
}

}  // namespace

Learner make_learner(const Model& model, Weights& weights, Combiner& combiner, const Options& options,
                     adasum::Communicator& communicator) {
  OptimizedTensors tensors;
  for (std::size_t t = 0; t < model.parameters.size(); ++t) {
    tensors.push_back({weights.counts()[t], model.parameters[t].decays()});
  }
  auto optimizer = options.shard_optimizer ? make_sharded(options.optimizer, std::move(tensors), communicator)
                                           : make_optimizer(options.optimizer, std::move(tensors));
  return {
      weights, std::move(optimizer), combiner, {options.adasum_on, options.local_steps, options.loss_scale}};
}

void train(const Training& training, const Options& options) {
  const auto& [model, weights, learner, dataset, shard, combiner, callbacks, start] = training;
  Loader loader(dataset, shard,
                {static_cast<std::size_t>(options.batch_size), model.shape.side, options.seed,
                 options.workers.value_or(0)});
  const Schedule schedule(options.schedule, double{options.optimizer.learning_rate}, loader.steps(),
                          options.epochs);
  const PassOptions pass{options.label_smoothing, options.micro_batches, options.precision};
  const auto hooks = combine_early(training, options);

  for (int epoch = start.epoch; epoch <= options.epochs; ++epoch) {
    const int done = epoch == start.epoch ? start.steps : 0;
    const int steps = steps_of(epoch, loader.steps(), options.max_steps);
    if (steps <= done) return;
    for (Callback* callback : callbacks) callback->epoch_begin(epoch);
    loader.start(epoch, done + 1);
    Progress progress;
    for (int step = done + 1; step <= steps; ++step) {
      const double scale = learner.begin_step();
      const float loss = add_gradients(model, weights, loader.next(), pass, scale);
      const std::int64_t before = std::int64_t{epoch - 1} * loader.steps() + step - 1;
      progress = {epoch, step, loss, static_cast<float>(schedule.rate(before)), before + 1};
      const auto bad_rank = learner.end_step(
          progress.rate, step == steps ? adasum::StepPosition::last : adasum::StepPosition::inside);
      if (bad_rank) drop_or_end(training, progress, *bad_rank);
      for (Callback* callback : callbacks) callback->step_end(progress);
    }
    for (Callback* callback : callbacks) callback->epoch_end(progress);
  }
}

}  // namespace adarun::trainer
