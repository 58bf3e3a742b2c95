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
  if (options.adasum_on == AdasumOn::delta || reduction.reduce == Reduce::none) return Ownership::own;
  return options.shard_optimizer ? Ownership::sharded : Ownership::shared;
}

/// As the loader counts them: the ranks of a replica take the same images.
EpochSize epoch_size(const TrainerOptions& options, const Dataset& dataset,
                     const adasum::Communicator& communicator, const SplitRun* split) {
  const auto batch_size = static_cast<std::size_t>(options.batch_size);
  if (split == nullptr) return {dataset.size(), communicator.size(), batch_size, batch_size};
  return {dataset.size(), split->shard().count, batch_size * static_cast<std::size_t>(split->image_ranks()),
          batch_size};
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
      epoch_(epoch_size(options, dataset, communicator, split)),
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
  // Of one rank where there is no room for those of all.
  values = {weights_.values(), buffers_of_all_.empty() ? weights_.buffers() : buffers_of_all_};
  for (const std::span<float> state : learner_.optimizer_state()) values.push_back(state);
  return values;
}

/// Each rank sees different data, so a model's statistics of the data (buffers) differ between ranks even if
/// the rest of the state is shared. The file of rank 0 then holds those of all `ranks`.
void Saver::make_room(int ranks) {
  clear();
  const bool of_own_files = ownership_ == Ownership::own || ownership_ == Ownership::sharded;
  if (of_own_files && ranks == communicator_.size()) return;
  if (!whole_) {
    buffers_of_all_.resize(weights_.buffers().size() * static_cast<std::size_t>(ranks));
  } else if (communicator_.rank() == 0) {
    buffers_of_all_.resize(whole_->buffers() * static_cast<std::size_t>(ranks));
    whole_values_.assign(1 + learner_.optimizer_state().size(), std::vector<float>(whole_->weights()));
  }
}

/// Of rank 0; empty on the others.
std::span<float> Saver::whole_value(std::size_t index) {
  return whole_values_.empty() ? std::span<float>() : std::span<float>(whole_values_[index]);
}

/// Replaces those of `ranks` ranks by as many copies of their mean as there are ranks now.
void Saver::average_buffers(int ranks) {
  const std::size_t count = buffers_of_all_.size() / static_cast<std::size_t>(ranks);
  std::vector<double> sums(count);
  for (std::size_t i = 0; i < buffers_of_all_.size(); ++i) sums[i % count] += double{buffers_of_all_[i]};
  buffers_of_all_.resize(count * static_cast<std::size_t>(communicator_.size()));
  for (std::size_t i = 0; i < buffers_of_all_.size(); ++i)
    buffers_of_all_[i] = static_cast<float>(sums[i % count] / ranks);
}

void Saver::gather() {
  make_room(communicator_.size());
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
  const CheckpointState state{at.epoch,
                              at.step,
                              counts.steps_taken,
                              scale.value(),
                              scale.taken_in_a_row(),
                              counts.rounds,
                              at.epoch == begun_.epoch ? begun_.earlier : EarlierSteps{}};
  const std::vector<std::span<float>> all = values();
  checkpoints_.save(state, at.all_steps, {all.begin(), all.end()});
  clear();
}

std::optional<Position> Saver::begin(const ResumePolicy& policy, const Print& print) {
  const auto room = [&](int ranks) {
    make_room(ranks);
    return values();
  };
  const std::optional<LoadedCheckpoint> loaded = checkpoints_.begin(policy, room);
  if (loaded && loaded->ranks != communicator_.size()) average_buffers(loaded->ranks);
  if (loaded) take();
  clear();
  if (!loaded) return std::nullopt;
  for (const std::string& note : loaded->notes) print(note);
  const CheckpointState& state = loaded->state;
  if (state.steps_taken.size() != learner_.counts().steps_taken.size())
    throw Error("the checkpoint has other groups of tensors than this training");
  learner_.restore({state.rounds, state.steps_taken});
  if (scale_is_dynamic_) learner_.steps().loss_scale().restore(state.loss_scale, state.taken_in_a_row);
  begun_ = position_of(*loaded);
  return begun_;
}

Position Saver::position_of(const LoadedCheckpoint& loaded) const {
  const auto& [samples, shards, batch_size, rank_batch] = epoch_;
  const CheckpointState& state = loaded.state;
  const auto step = static_cast<std::size_t>(state.step);
  const Position next{state.epoch + 1, 0, loaded.steps};
  EarlierSteps earlier = state.earlier;
  if (loaded.ranks != communicator_.size()) {
    if (step >= steps_per_epoch(samples, loaded.ranks, rank_batch, earlier)) return next;
    const auto batches =
        static_cast<std::uint64_t>(state.step - earlier.steps) * static_cast<std::uint64_t>(loaded.ranks);
    earlier = {state.step, earlier.samples + batches * rank_batch};
  }
  if (step >= steps_per_epoch(samples, shards, batch_size, earlier)) return next;
  return {state.epoch, state.step, loaded.steps, earlier};
}

}  // namespace adarun::trainer
