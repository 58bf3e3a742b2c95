// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/train.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "adasum/types/error.h"
#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/data/loader.h"
#include "trainer/passes/passes.h"

namespace adarun::trainer {
namespace {

/// Called on all ranks when the gradients of the rank at `place` are not finite: skips the step, or ends the
/// training. A loss that is not finite ends it, on whichever rank.
void drop_or_end(const Training& training, const Progress& at, int place) {
  const int rank = training.communicator.world_rank(place);
  const bool may_continue = !adasum::first_without(std::isfinite(at.loss), training.communicator);
  if (may_continue && training.learner.drop()) {
    const double scale = training.learner.steps().loss_scale().value();
    for (Callback* callback : training.callbacks) callback->step_dropped(at, rank, scale);
    return;
  }
  for (Callback* callback : training.callbacks) callback->not_finite(at, rank);
  // The first rank to throw ends the others, which also have lines to print.
  try {
    wait_for_all(training.communicator);
  } catch (const adasum::Error&) {  // One has ended; the training is over all the same.
  }
  throw Error("epoch " + std::to_string(at.epoch) + " step " + std::to_string(at.step) +
              ": the gradients of rank " + std::to_string(rank) + " hold NaN or infinity");
}

/// The last step of an epoch of `steps` steps in which `at` is reached, if the training ends after `most`
/// steps in total; 0: no limit.
int last_step(int steps, const Position& at, int most) {
  if (most == 0) return steps;
  return static_cast<int>(std::min<std::int64_t>(steps, at.steps + most - at.all_steps));
}

/// The number that schedules give to the first step of an epoch, from 0 on. Where another number of ranks
/// has begun the epoch, its steps count for as many as take the same samples now.
std::int64_t steps_before(const Loader& loader, const Position& at) {
  return std::int64_t{at.epoch - 1} * loader.steps() + loader.equal_steps(at.earlier) - at.earlier.steps;
}

/// Where several ranks take the images of one shard, it has the batches of all of them.
LoaderOptions loader_options(const TrainerOptions& options, const Model& model, const SplitRun* split) {
  const int sharers = split == nullptr ? 1 : static_cast<int>(split->image_ranks());
  const auto of_rank = static_cast<std::size_t>(options.batch_size);
  return {.batch_size = of_rank * static_cast<std::size_t>(sharers),
          .side = model.shape.side,
          .seed = options.seed,
          .workers = options.workers.value_or(0),
          .sharers = sharers};
}

}  // namespace

void train(const Training& training, const TrainerOptions& options) {
  const auto& [model, weights, learner, dataset, communicator, callbacks, start, split] = training;
  Loader loader(dataset, split != nullptr ? split->shard() : Shard{communicator.rank(), communicator.size()},
                loader_options(options, model, split));
  const Schedule schedule(options.schedule, double{options.optimizer.learning_rate}, loader.steps(),
                          options.epochs);
  const PassOptions pass{options.label_smoothing, options.micro_batches, options.precision, split};

  for (Position at = start; at.epoch <= options.epochs; at = {at.epoch + 1, 0, at.all_steps}) {
    const int steps = last_step(loader.steps(at.earlier), at, options.max_steps);
    if (steps <= at.steps) return;
    for (Callback* callback : callbacks) callback->epoch_begin(at.epoch);
    loader.start(at.epoch, at.steps + 1, at.earlier);
    const std::int64_t before = steps_before(loader, at);
    Progress progress;
    while (at.steps < steps) {
      const double scale = learner.begin_step();
      const Batch& batch = loader.next();
      const float loss = add_gradients(model, weights, batch, pass, scale);
      const auto rate = static_cast<float>(schedule.rate(before + at.steps));
      progress = {at.epoch, ++at.steps, loss, rate, ++at.all_steps};
      const auto bad_rank = learner.end_step(
          rate, at.steps == steps ? adasum::StepPosition::last : adasum::StepPosition::inside,
          {double{loss}, [&] { return loss_of(model, weights, batch, pass); }});
      if (bad_rank) drop_or_end(training, progress, *bad_rank);
      for (Callback* callback : callbacks) callback->step_end(progress);
    }
    for (Callback* callback : callbacks) callback->epoch_end(progress);
  }
}

}  // namespace adarun::trainer
