// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/training_state.h"

#include <algorithm>

#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/data/shard.h"

namespace adarun::trainer {

Ownership ownership_of(const TrainerOptions& options, const Reduction& reduction, const SplitRun* split,
                       int ranks) {
  if (split != nullptr) return Ownership::first;
  const bool differ = options.adasum_on == AdasumOn::delta || reduction.reduce == Reduce::none;
  if (differ && ranks > 1) return Ownership::own;
  return options.shard_optimizer ? Ownership::sharded : Ownership::shared;
}

TrainingState::TrainingState(const TrainerOptions& options, const Reduction& reduction,
                             const Dataset& dataset, Weights& weights, Learner& learner,
                             adasum::Communicator& communicator, SplitRun* split)
    : weights_(weights),
      learner_(learner),
      communicator_(communicator),
      samples_(dataset.size()),
      shards_(split != nullptr ? split->shard().count : communicator.size()),
      rank_batch_(static_cast<std::size_t>(options.batch_size)),
      batch_size_(rank_batch_ * static_cast<std::size_t>(split != nullptr ? split->image_ranks() : 1)),
      scale_is_dynamic_(options.loss_scale.dynamic),
      ownership_(ownership_of(options, reduction, split, communicator.size())) {
  if (split != nullptr) whole_.emplace(split->whole(), split->strategies(), communicator);
}

std::vector<std::span<float>> TrainingState::values() {
  std::vector<std::span<float>> values;
  if (whole_) {
    for (std::vector<float>& each : whole_values_) values.push_back(each);
    if (!values.empty()) values.insert(values.begin() + 1, buffers_of_all_);
    return values;
  }
  // Of this rank where it has a file of its own and no room for those of all.
  const bool of_this_rank = ownership_ != Ownership::shared && buffers_of_all_.empty();
  values = {weights_.values(), of_this_rank ? weights_.buffers() : buffers_of_all_};
  for (const std::span<float> state : learner_.optimizer_state()) values.push_back(state);
  return values;
}

/// Each rank sees different data, so a model's statistics of the data (buffers) differ between ranks even if
/// the rest of the state is shared. There is then room for those of all `ranks`: on rank 0, which has the
/// file, or on all where each reads files of others.
void TrainingState::make_room(int ranks) {
  clear();
  const bool of_own_files = ownership_ == Ownership::own || ownership_ == Ownership::sharded;
  if (of_own_files && ranks == communicator_.size()) return;
  if (!whole_) {
    if (of_own_files || communicator_.rank() == 0)
      buffers_of_all_.resize(weights_.buffers().size() * static_cast<std::size_t>(ranks));
  } else if (communicator_.rank() == 0) {
    buffers_of_all_.resize(whole_->buffers() * static_cast<std::size_t>(ranks));
    whole_values_.assign(1 + learner_.optimizer_state().size(), std::vector<float>(whole_->weights()));
  }
}

/// Of rank 0; empty on the others.
std::span<float> TrainingState::whole_value(std::size_t index) {
  return whole_values_.empty() ? std::span<float>() : std::span<float>(whole_values_[index]);
}

/// Replaces those of `ranks` ranks by as many copies of their mean as there are ranks now.
void TrainingState::average_buffers(int ranks) {
  const std::size_t count = buffers_of_all_.size() / static_cast<std::size_t>(ranks);
  std::vector<double> sums(count);
  for (std::size_t i = 0; i < buffers_of_all_.size(); ++i) sums[i % count] += double{buffers_of_all_[i]};
  buffers_of_all_.resize(count * static_cast<std::size_t>(communicator_.size()));
  for (std::size_t i = 0; i < buffers_of_all_.size(); ++i)
    buffers_of_all_[i] = static_cast<float>(sums[i % count] / ranks);
}

void TrainingState::gather() {
  make_room(communicator_.size());
  if (whole_) {
    whole_->gather(weights_.values(), whole_value(0));
    const std::vector<std::span<float>> states = learner_.optimizer_state();
    for (std::size_t i = 0; i < states.size(); ++i) whole_->gather(states[i], whole_value(i + 1));
    whole_->gather_buffers(weights_.buffers(), buffers_of_all_);
  } else if (ownership_ == Ownership::shared && !weights_.buffers().empty()) {
    gather_to_first(weights_.buffers(), buffers_of_all_, communicator_);
  }
}

void TrainingState::take() {
  if (whole_) {
    whole_->scatter(whole_value(0), weights_.values());
    const std::vector<std::span<float>> states = learner_.optimizer_state();
    for (std::size_t i = 0; i < states.size(); ++i) whole_->scatter(whole_value(i + 1), states[i]);
    whole_->scatter_buffers(buffers_of_all_, weights_.buffers());
  } else if (ownership_ == Ownership::shared && !weights_.buffers().empty()) {
    scatter_from_first(buffers_of_all_, weights_.buffers(), communicator_);
  } else if (!buffers_of_all_.empty()) {
    const std::span<float> mine = weights_.buffers();
    const std::size_t begin = mine.size() * static_cast<std::size_t>(communicator_.rank());
    std::ranges::copy(std::span(buffers_of_all_).subspan(begin, mine.size()), mine.begin());
  }
}

void TrainingState::clear() {
  buffers_of_all_ = {};
  whole_values_ = {};
}

CheckpointState TrainingState::after(const Progress& at) const {
  const adasum::LossScale& scale = learner_.steps().loss_scale();
  const LearnerCounts counts = learner_.counts();
  return {at.epoch,
          at.step,
          counts.steps_taken,
          scale_is_dynamic_ ? scale.value() : 0,
          scale.taken_in_a_row(),
          counts.rounds,
          at.epoch == begun_.epoch ? begun_.earlier : EarlierSteps{}};
}

Position TrainingState::restore(const CheckpointState& state, std::int64_t steps, int ranks) {
  if (ranks != communicator_.size()) average_buffers(ranks);
  take();
  clear();
  if (state.steps_taken.size() != learner_.counts().steps_taken.size())
    throw Error("the checkpoint has other groups of tensors than this training");
  learner_.restore({state.rounds, state.steps_taken});
  if (scale_is_dynamic_ && state.loss_scale > 0)
    learner_.steps().loss_scale().restore(state.loss_scale, state.taken_in_a_row);
  begun_ = position_of(state, steps, ranks);
  return begun_;
}

Position TrainingState::position_of(const CheckpointState& state, std::int64_t steps, int ranks) const {
  const auto step = static_cast<std::size_t>(state.step);
  const Position next{state.epoch + 1, 0, steps};
  EarlierSteps earlier = state.earlier;
  if (ranks != communicator_.size()) {
    if (step >= steps_per_epoch(samples_, ranks, rank_batch_, earlier)) return next;
    const auto batches =
        static_cast<std::uint64_t>(state.step - earlier.steps) * static_cast<std::uint64_t>(ranks);
    earlier = {state.step, earlier.samples + batches * rank_batch_};
  }
  if (step >= steps_per_epoch(samples_, shards_, batch_size_, earlier)) return next;
  return {state.epoch, state.step, steps, earlier};
}

}  // namespace adarun::trainer
