// SPDX-License-Identifier: Apache-2.0
#include "trainer/train.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "trainer/data/loader.h"
#include "trainer/error.h"
#include "trainer/learner.h"
#include "trainer/passes.h"

namespace adarun::trainer {
namespace {

std::unique_ptr<Optimizer> optimizer_for(const Model& model, const Weights& weights,
                                         const OptimizerOptions& options) {
  OptimizedTensors tensors;
  for (std::size_t t = 0; t < model.parameters.size(); ++t) {
    tensors.push_back({weights.counts()[t], model.parameters[t].decays()});
  }
  return make_optimizer(options, std::move(tensors));
}

/// What `rank` has is not finite, and all ranks know: leaves the step out on all of them, or ends the
/// training.
void drop_or_end(const Training& training, Learner& learner, const Progress& at, int rank) {
  if (learner.drop_step()) {
    for (Callback* callback : training.callbacks)
      callback->step_dropped(at, rank, learner.loss_scale().value());
    return;
  }
  for (Callback* callback : training.callbacks) callback->not_finite(at, rank);
  training.combiner.wait_for_all();  // the first one to throw ends the others, who have something to say too
  throw Error("epoch " + std::to_string(at.epoch) + " step " + std::to_string(at.step) +
              ": the gradients of rank " + std::to_string(rank) + " hold NaN or infinity");
}

}  // namespace

void train(const Training& training, const Options& options) {
  const auto& [model, weights, dataset, shard, combiner, callbacks] = training;
  Loader loader(dataset, shard, static_cast<std::size_t>(options.batch_size), model.shape.side, options.seed);
  Learner learner(weights, optimizer_for(model, weights, options.optimizer), combiner,
                  {options.adasum_on, options.local_steps, options.loss_scale});
  const Schedule schedule(options.schedule, double{options.optimizer.learning_rate}, loader.steps(),
                          options.epochs);
  const PassOptions pass{options.label_smoothing, options.micro_batches};
  int steps_left = options.max_steps > 0 ? options.max_steps : std::numeric_limits<int>::max();

  for (int epoch = 1; epoch <= options.epochs && steps_left > 0; ++epoch) {
    for (Callback* callback : callbacks) callback->epoch_begin(epoch);
    loader.start(epoch);
    Progress progress{epoch, 0, 0};
    const int steps = std::min(loader.steps(), steps_left);
    for (int step = 1; step <= steps; ++step) {
      const double scale = learner.begin_step();
      const float loss = add_gradients(model, weights, loader.batch(step), pass, scale);
      progress = {epoch, step, loss};
      const std::int64_t done = std::int64_t{epoch - 1} * loader.steps() + step - 1;
      const auto rate = static_cast<float>(schedule.rate(done));
      if (const auto rank = learner.end_step(rate, step == steps ? Place::last : Place::inside)) {
        drop_or_end(training, learner, progress, *rank);
      }
      for (Callback* callback : callbacks) callback->step_end(progress);
    }
    for (Callback* callback : callbacks) callback->epoch_end(progress);
    steps_left -= steps;
  }
}

}  // namespace adarun::trainer
