// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/learner.h"

#include <cassert>
#include <utility>

#include "adasum/steps/delta_steps.h"
#include "adasum/steps/gradient_steps.h"
#include "adasum/types/layout.h"

namespace adarun::trainer {
namespace {

std::unique_ptr<adasum::Steps<float>> make_steps(Weights& weights, Optimizer& optimizer, Combiner& combiner,
                                                 const LearnerOptions& options) {
  const adasum::StepOptions step_options{options.local_steps, options.loss_scale};
  if (options.adasum_on == AdasumOn::gradient) {
    const auto combine = [&] { return combiner.combine(weights.gradients(), weights.counts()); };
    return std::make_unique<adasum::GradientSteps<float>>(combine, std::vector{weights.gradients()},
                                                          step_options);
  }
  assert(combiner.engine() != nullptr);
  const adasum::TrainingState<float> learned{adasum::tensors_of(weights.values(), weights.counts()),
                                             optimizer.state()};
  return std::make_unique<adasum::DeltaSteps<float>>(*combiner.engine(), learned,
                                                     std::vector{weights.gradients()}, step_options);
}

}  // namespace

Learner::Learner(Weights& weights, std::unique_ptr<Optimizer> optimizer, Combiner& combiner,
                 const LearnerOptions& options)
    : weights_(weights),
      optimizer_(std::move(optimizer)),
      steps_(make_steps(weights, *optimizer_, combiner, options)) {}

double Learner::begin_step() {
  if (is_together()) taken_together_ = taken_;
  return steps_->begin();
}

std::optional<int> Learner::end_step(float rate, adasum::StepPosition place) {
  const auto step = [&] { optimizer_->step(weights_.values(), weights_.gradients(), {rate, ++taken_}); };
  const auto not_finite = steps_->end(step, place);
  if (not_finite) taken_ = taken_together_;
  return not_finite;
}

}  // namespace adarun::trainer
