// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/saver.h"

#include <algorithm>

#include "trainer/checkpoint/run_identity.h"
#include "trainer/data/shard.h"

namespace adarun::trainer {
namespace {

/// With deltas, each rank's optimizer has its own state; a sharded optimizer has the state of its own
/// tensors; and ranks that combine nothing have different weights.
Ownership ownership_of(const TrainerOptions& options, const Reduction& reduction, const SplitRun* split) {
  if (split != nullptr) return Ownership::first;
  const bool own =
      options.adasum_on == AdasumOn::delta || options.shard_optimizer || reduction.reduce == Reduce::none;
  return own ? Ownership::own : Ownership::shared;
}

/// As the loader counts them: the ranks of a replica take the same images.
int steps_of_epoch(const TrainerOptions& options, const Dataset& dataset,
                   const adasum::Communicator& communicator, const SplitRun* split) {
  const int shards = split == nullptr ? communicator.size() : split->shard().count;
  const auto ranks = static_cast<std::size_t>(split == nullptr ? 1 : split->image_ranks());
  return static_cast<int>(
      steps_per_epoch(dataset.size(), shards, ranks * static_cast<std::size_t>(options.batch_size)));
}

RunIdentity with_optimizer(RunIdentity identity, const Learner& learner) {
  identity.job.emplace_back("basis", learner.optimizer_identity());
  return identity;
}

}  // namespace

Saver::Saver(const TrainerOptions& options, const Reduction& reduction, const Model& model,
             const Dataset& dataset, Weights& weights, Learner& learner, adasum::Communicator& communicator,
             SplitRun* split)
    : weights_(weights),
      learner_(learner),
      communicator_(communicator),
      steps_per_epoch_(steps_of_epoch(options, dataset, communicator, split)),
      scale_is_dynamic_(options.loss_scale.dynamic),
      ownership_(ownership_of(options, reduction, split)),
      checkpoints_(options.checkpoint_dir,
                   with_optimizer(
                       run_identity(options, reduction, model, dataset.size(), communicator.size()), learner),
                   ownership_, communicator, options.checkpoint_keep) {
  if (split != nullptr) whole_.emplace(split->whole(), split->strategies(), communicator);
}

// What the file holds; empty on a rank without a file.
std::vector<std::span<float>> Saver::values() {
  std::vector<std::span<float>> values;
  if (whole_) {
    for (std::vector<float>& each : whole_values_) values.push_back(each);
    if (!values.empty()) values.insert(values.begin() + 1, buffers_of_all_);
    return values;
  }
  values = {weights_.values(), ownership_ == Ownership::own ? weights_.buffers() : buffers_of_all_};
  for (const std::span<float> state : learner_.optimizer_state()) values.push_back(state);
  return values;
}

/// Each rank sees different data, so a model's statistics of the data (buffers) differ between ranks even if
/// the rest of the state is shared. The file of rank 0 then holds those of all ranks.
void Saver::make_room() {
  if (ownership_ == Ownership::own) return;
  if (!whole_) {
    buffers_of_all_.resize(weights_.buffers().size() * static_cast<std::size_t>(communicator_.size()));
  } else if (communicator_.rank() == 0) {
    buffers_of_all_.resize(whole_->buffers_of_all());
    whole_values_.assign(1 + learner_.optimizer_state().size(), std::vector<float>(whole_->weights()));
  }
}

/// Of rank 0; empty on the others.
std::span<float> Saver::whole_value(std::size_t index) {
  return whole_values_.empty() ? std::span<float>() : std::span<float>(whole_values_[index]);
}

void Saver::gather() {
  make_room();
  if (whole_) {
    whole_->gather(weights_.values(), whole_value(0));
    const std::vector<std::span<float>> states = learner_.optimizer_state();
    for (std::size_t i = 0; i < states.size(); ++i) whole_->gather(states[i], whole_value(i + 1));
    whole_->gather_buffers(weights_.buffers(), buffers_of_all_);
  } else if (!buffers_of_all_.empty()) {
    communicator_.all_gather(std::as_bytes(weights_.buffers()),
                             std::as_writable_bytes(std::span(buffers_of_all_)));
  }
}

void Saver::take() {
  if (whole_) {
    whole_->scatter(whole_value(0), weights_.values());
    const std::vector<std::span<float>> states = learner_.optimizer_state();
    for (std::size_t i = 0; i < states.size(); ++i) whole_->scatter(whole_value(i + 1), states[i]);
    whole_->scatter_buffers(buffers_of_all_, weights_.buffers());
  } else if (!buffers_of_all_.empty()) {
    const std::span<float> mine = weights_.buffers();
    const std::size_t begin = mine.size() * static_cast<std::size_t>(communicator_.rank());
    std::ranges::copy(std::span(buffers_of_all_).subspan(begin, mine.size()), mine.begin());
  }
}

void Saver::clear() {
  buffers_of_all_ = {};
  whole_values_ = {};
}

void Saver::save(const Progress& at) {
  gather();
  const adasum::LossScale& scale = learner_.steps().loss_scale();
  const LearnerCounts counts = learner_.counts();
  const CheckpointState state{
      at.epoch, at.step, counts.steps_taken, scale.value(), scale.taken_in_a_row(), counts.rounds};
  const std::vector<std::span<float>> all = values();
  checkpoints_.save(state, at.all_steps, {all.begin(), all.end()});
  clear();
}

std::optional<Position> Saver::begin(const ResumePolicy& policy, const Print& print) {
  make_room();
  const std::optional<LoadedCheckpoint> loaded = checkpoints_.begin(policy, values());
  if (loaded) take();
  clear();
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
