// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/saver.h"

#include <algorithm>

#include "trainer/checkpoint/run_identity.h"
#include "trainer/data/shard.h"

namespace adarun::trainer {
namespace {

/// With deltas, each rank's optimizer has its own state; a sharded optimizer has the state of its own
/// tensors; and ranks that combine nothing have different weights.
Ownership ownership_of(const TrainerOptions& options, const Reduction& reduction) {
  const bool own =
      options.adasum_on == AdasumOn::delta || options.shard_optimizer || reduction.reduce == Reduce::none;
  return own ? Ownership::own : Ownership::shared;
}

RunIdentity with_optimizer(RunIdentity identity, const Learner& learner) {
  identity.job.emplace_back("basis", learner.optimizer_identity());
  return identity;
}

}  // namespace

Saver::Saver(const TrainerOptions& options, const Reduction& reduction, const Model& model,
             const Dataset& dataset, Weights& weights, Learner& learner, adasum::Communicator& communicator)
    : weights_(weights),
      learner_(learner),
      communicator_(communicator),
      steps_per_epoch_(static_cast<int>(steps_per_epoch(dataset.size(), communicator.size(),
                                                        static_cast<std::size_t>(options.batch_size)))),
      scale_is_dynamic_(options.loss_scale.dynamic),
      ownership_(ownership_of(options, reduction)),
      checkpoints_(options.checkpoint_dir,
                   with_optimizer(
                       run_identity(options, reduction, model, dataset.size(), communicator.size()), learner),
                   ownership_, communicator, options.checkpoint_keep) {}

std::vector<std::span<float>> Saver::values() {
  const bool own = ownership_ == Ownership::own;
  std::vector<std::span<float>> values = {weights_.values(), own ? weights_.buffers() : buffers_of_all_};
  for (const std::span<float> state : learner_.optimizer_state()) values.push_back(state);
  return values;
}

/// Each rank sees different data, so a model's statistics of the data (buffers) differ between ranks even if
/// the rest of the state is shared. The file of rank 0 then holds those of all ranks.
void Saver::make_room() {
  if (ownership_ == Ownership::own) return;
  buffers_of_all_.resize(weights_.buffers().size() * static_cast<std::size_t>(communicator_.size()));
}

void Saver::gather_buffers() {
  make_room();
  if (buffers_of_all_.empty()) return;
  communicator_.all_gather(std::as_bytes(weights_.buffers()),
                           std::as_writable_bytes(std::span(buffers_of_all_)));
}

void Saver::take_buffers() {
  if (buffers_of_all_.empty()) return;
  const std::span<float> mine = weights_.buffers();
  const std::size_t begin = mine.size() * static_cast<std::size_t>(communicator_.rank());
  std::ranges::copy(std::span(buffers_of_all_).subspan(begin, mine.size()), mine.begin());
}

void Saver::save(const Progress& at) {
  gather_buffers();
  const adasum::LossScale& scale = learner_.steps().loss_scale();
  const LearnerCounts counts = learner_.counts();
  const CheckpointState state{
      at.epoch, at.step, counts.steps_taken, scale.value(), scale.taken_in_a_row(), counts.rounds};
  const std::vector<std::span<float>> all = values();
  checkpoints_.save(state, at.all_steps, {all.begin(), all.end()});
  buffers_of_all_ = {};
}

std::optional<Position> Saver::begin(const ResumePolicy& policy, const Print& print) {
  make_room();
  const std::optional<LoadedCheckpoint> loaded = checkpoints_.begin(policy, values());
  if (loaded) take_buffers();
  buffers_of_all_ = {};
  if (!loaded) return std::nullopt;
  for (const std::string& note : loaded->notes) print(note);
  const CheckpointState& state = loaded->state;
  if (state.steps_taken.size() != learner_.counts().steps_taken.size())
    throw Error("the checkpoint has other groups of tensors than this training");
  learner_.restore({state.rounds, state.steps_taken});
  if (scale_is_dynamic_) learner_.steps().loss_scale().restore(state.loss_scale, state.taken_in_a_row);
  if (state.step >= steps_per_epoch_) return Position{state.epoch + 1, 0};
  return Position{state.epoch, state.step};
}

}  // namespace adarun::trainer
