// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/saver.h"

#include "adasum/mean.h"

namespace adarun::trainer {
namespace {

Facts facts_of(const Options& options, const Combination& combination, const Model& model,
               const Dataset& dataset, int world_size) {
  const char* const reductions[] = {"adasum", "mean", "sum", "none"};
  return {{"model", model.name},
          {"image channels", std::to_string(model.shape.channels)},
          {"image size", std::to_string(model.shape.side)},
          {"number of classes", std::to_string(model.shape.classes)},
          {"dataset", options.dataset + " of " + std::to_string(dataset.size())},
          {"number of ranks", std::to_string(world_size)},
          {"batch size", std::to_string(options.batch_size)},
          {"seed", std::to_string(options.seed)},
          {"optimizer", options.optimizer.name + (options.shard_optimizer ? ", sharded" : "")},
          {"reduction", reductions[static_cast<int>(combination.reduce)]},
          {"adasum", options.adasum_on == AdasumOn::delta ? "of deltas" : "of gradients"}};
}

/// On deltas each rank's optimizer remembers its own steps, a sharded one its own tensors; and ranks that
/// combine nothing have weights of their own.
Ownership ownership_of(const Options& options, const Combination& combination) {
  const bool own =
      options.adasum_on == AdasumOn::delta || options.shard_optimizer || combination.reduce == Reduce::none;
  return own ? Ownership::own : Ownership::shared;
}

}  // namespace

Saver::Saver(const Options& options, const Combination& combination, const Model& model,
             const Dataset& dataset, Weights& weights, Learner& learner, adasum::Peers& peers)
    : weights_(weights),
      learner_(learner),
      peers_(peers),
      steps_per_epoch_(static_cast<int>(
          steps_per_epoch(dataset.size(), peers.size(), static_cast<std::size_t>(options.batch_size)))),
      checkpoints_(options.checkpoint_dir, facts_of(options, combination, model, dataset, peers.size()),
                   ownership_of(options, combination), peers) {}

std::vector<std::span<float>> Saver::values() {
  std::vector<std::span<float>> values = {weights_.values(), weights_.buffers()};
  for (const std::span<float> state : learner_.optimizer_state()) values.push_back(state);
  return values;
}

void Saver::save(const Progress& at) {
  if (!weights_.buffers().empty()) adasum::mean(weights_.buffers(), peers_);
  const adasum::LossScale& scale = learner_.loss_scale();
  const Moment moment{at.epoch, at.step, learner_.steps_taken(), scale.value(), scale.taken_in_a_row()};
  const std::vector<std::span<float>> all = values();
  checkpoints_.save(moment, std::int64_t{at.epoch - 1} * steps_per_epoch_ + at.step,
                    {all.begin(), all.end()});
}

std::optional<Position> Saver::restore() {
  const std::optional<Moment> moment = checkpoints_.load(values());
  if (!moment) return std::nullopt;
  learner_.restore_steps_taken(moment->steps_taken);
  learner_.loss_scale().restore(moment->loss_scale, moment->taken_in_a_row);
  if (moment->step >= steps_per_epoch_) return Position{moment->epoch + 1, 0};
  return Position{moment->epoch, moment->step};
}

}  // namespace adarun::trainer
