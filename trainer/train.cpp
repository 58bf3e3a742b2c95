// SPDX-License-Identifier: Apache-2.0
#include "trainer/train.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/data/loader.h"
#include "trainer/passes/passes.h"

namespace adarun::trainer {
namespace {

/// Called on all ranks when the gradients of `rank` are not finite: skips the step, or ends the training.
void drop_or_end(const Training& training, const Progress& at, int rank) {
  if (training.learner.steps().drop()) {
    const double scale = training.learner.steps().loss_scale().value();
    for (Callback* callback : training.callbacks) callback->step_dropped(at, rank, scale);
    return;
  }
  for (Callback* callback : training.callbacks) callback->not_finite(at, rank);
  wait_for_all(
      training.communicator);  // the first rank to throw ends the others, which also have lines to print
  throw Error("epoch " + std::to_string(at.epoch) + " step " + std::to_string(at.step) +
              ": the gradients of rank " + std::to_string(rank) + " hold NaN or infinity");
}

/// The number of steps of `epoch` if the training ends after `most` steps in total; 0: no limit.
int steps_of(int epoch, int steps_per_epoch, int most) {
  if (most == 0) return steps_per_epoch;
  const std::int64_t left = most - std::int64_t{epoch - 1} * steps_per_epoch;
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, steps_per_epoch));
}

/// Images that this rank takes in a step.
std::size_t batch_size(const TrainerOptions& options, const SplitRun* split) {
  const auto of_rank = static_cast<std::size_t>(options.batch_size);
  return split == nullptr ? of_rank : of_rank * static_cast<std::size_t>(split->image_ranks());
}

}  // namespace

void train(const Training& training, const TrainerOptions& options) {
  const auto& [model, weights, learner, dataset, communicator, callbacks, start, split] = training;
  Loader loader(dataset, split != nullptr ? split->shard() : Shard{communicator.rank(), communicator.size()},
                {batch_size(options, split), model.shape.side, options.seed, options.workers.value_or(0)});
  const Schedule schedule(options.schedule, double{options.optimizer.learning_rate}, loader.steps(),
                          options.epochs);
  const PassOptions pass{options.label_smoothing, options.micro_batches, options.precision, split};

  for (int epoch = start.epoch; epoch <= options.epochs; ++epoch) {
    const int done = epoch == start.epoch ? start.steps : 0;
    const int steps = steps_of(epoch, loader.steps(), options.max_steps);
    if (steps <= done) return;
    for (Callback* callback : callbacks) callback->epoch_begin(epoch);
    loader.start(epoch, done + 1);
    Progress progress;
    for (int step = done + 1; step <= steps; ++step) {
      const double scale = learner.begin_step();
      const Batch& batch = loader.next();
      const float loss = add_gradients(model, weights, batch, pass, scale);
      const std::int64_t before = std::int64_t{epoch - 1} * loader.steps() + step - 1;
      progress = {epoch, step, loss, static_cast<float>(schedule.rate(before)), before + 1};
      const auto bad_rank = learner.end_step(
          progress.rate, step == steps ? adasum::StepPosition::last : adasum::StepPosition::inside,
          {double{loss}, [&] { return loss_of(model, weights, batch, pass); }});
      if (bad_rank) drop_or_end(training, progress, *bad_rank);
      for (Callback* callback : callbacks) callback->step_end(progress);
    }
    for (Callback* callback : callbacks) callback->epoch_end(progress);
  }
}

}  // namespace adarun::trainer
