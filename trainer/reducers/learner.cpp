// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/learner.h"

#include <cassert>
#include <utility>

#include "adasum/steps/delta_steps.h"
#include "adasum/steps/gradient_steps.h"
#include "adasum/types/layout.h"

namespace adarun::trainer {
namespace {

/// Local steps whose gradients are combined by a Reducer.
class ReducedSteps : public adasum::GradientSteps<float> {
 public:
  ReducedSteps(std::unique_ptr<Reducer> reducer, std::span<float> gradients,
               const adasum::StepOptions& options)
      : GradientSteps([of = reducer.get()] { return of->reduce(); }, std::vector{gradients}, options),
        reducer_(std::move(reducer)) {}

  std::vector<adasum::TensorDiagnostics> diagnostics() const override { return reducer_->diagnostics(); }

 private:
  std::unique_ptr<Reducer> reducer_;
};

std::unique_ptr<adasum::Steps<float>> make_steps(Weights& weights, const TrainedGroup& group,
                                                 const ReduceContext& context,
                                                 const LearnerOptions& options) {
  const adasum::StepOptions step_options{options.local_steps, options.loss_scale};
  const TensorSpan gradients = weights.gradients_from(group.first_tensor);
  if (options.adasum_on == AdasumOn::gradient) {
    const BucketOptions buckets{options.bucket_bytes, options.micro_batches * options.local_steps};
    return std::make_unique<ReducedSteps>(make_reducer(context, weights, buckets, group.first_tensor),
                                          gradients.values, step_options);
  }
  assert(context.engine);
  const TensorSpan values = weights.values_from(group.first_tensor);
  const bool rows = context.reduction.per == AdasumPer::row;
  const std::vector<std::int64_t> counts =
      rows ? weights.row_counts(group.first_tensor) : std::vector(values.counts.begin(), values.counts.end());
  const adasum::LocalState<float> learned{adasum::tensors_of(values.values, counts),
                                          group.optimizer->state()};
  std::vector<std::span<float>> scaled;
  if (context.reduction.group_gain != adasum::GroupGain::none)
    scaled = adasum::tensors_of(gradients.values, counts);
  return std::make_unique<adasum::DeltaSteps<float>>(*context.engine, learned, std::vector{gradients.values},
                                                     step_options, scaled);
}

TrainedGroups one_group(std::unique_ptr<Optimizer> optimizer) {
  TrainedGroups one;
  one.groups.push_back({0, std::move(optimizer)});
  return one;
}

}  // namespace

Learner::Learner(Weights& weights, TrainedGroups groups, const ReduceContext& context,
                 const LearnerOptions& options)
    : weights_(weights), of_round_(std::move(groups.of_round)) {
  assert(groups.groups.size() == 1 || of_round_);
  for (TrainedGroup& group : groups.groups) {
    auto steps = make_steps(weights, group, context, options);
    parts_.push_back({group.first_tensor, std::move(group.optimizer), std::move(steps)});
  }
}

Learner::Learner(Weights& weights, std::unique_ptr<Optimizer> optimizer, const ReduceContext& context,
                 const LearnerOptions& options)
    : Learner(weights, one_group(std::move(optimizer)), context, options) {}

/// Chooses the group. It continues with the loss scale of the one before it.
void Learner::begin_round() {
  if (parts_.size() > 1) {
    const adasum::LossScale& scale = steps().loss_scale();
    const double value = scale.value();
    const std::int64_t taken_in_a_row = scale.taken_in_a_row();
    current_ = of_round_(rounds_);
    steps().loss_scale().restore(value, taken_in_a_row);
    weights_.freeze_before(current().first_tensor);
  }
  current().taken_together = current().taken;
}

double Learner::begin_step() {
  if (steps().is_together()) begin_round();
  return steps().begin();
}

std::optional<int> Learner::end_step(float rate, adasum::StepPosition place, const BatchLoss& loss) {
  Part& part = current();
  const auto step = [&] {
    vote_();
    part.optimizer->step(weights_.values_from(part.first_tensor).values,
                         weights_.gradients_from(part.first_tensor).values, {rate, ++part.taken, loss});
  };
  const auto not_finite = part.steps->end(step, place);
  if (not_finite) {
    part.taken = part.taken_together;
  } else {
    count_round();
  }
  return not_finite;
}

bool Learner::drop() {
  vote_();
  if (!steps().drop()) return false;
  count_round();
  return true;
}

/// If the step has ended a round.
void Learner::count_round() {
  if (steps().is_together()) ++rounds_;
}

std::vector<std::span<float>> Learner::optimizer_state() {
  std::vector<std::span<float>> all;
  for (const Part& part : parts_) {
    for (const std::span<float> state : part.optimizer->state()) all.push_back(state);
  }
  return all;
}

LearnerCounts Learner::counts() const {
  LearnerCounts counts{rounds_, {}};
  for (const Part& part : parts_) counts.steps_taken.push_back(part.taken);
  return counts;
}

void Learner::restore(const LearnerCounts& counts) {
  assert(counts.steps_taken.size() == parts_.size());
  rounds_ = counts.rounds;
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].taken = counts.steps_taken[i];
}

}  // namespace adarun::trainer
