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

std::unique_ptr<adasum::Steps<float>> make_steps(Weights& weights, Optimizer& optimizer,
                                                 const ReduceContext& context,
                                                 const LearnerOptions& options) {
  const adasum::StepOptions step_options{options.local_steps, options.loss_scale};
  if (options.adasum_on == AdasumOn::gradient) {
    const BucketOptions buckets{options.bucket_bytes, options.micro_batches * options.local_steps};
    return std::make_unique<ReducedSteps>(make_reducer(context, weights, buckets), weights.gradients(),
                                          step_options);
  }
  assert(context.engine);
  const adasum::TrainingState<float> learned{adasum::tensors_of(weights.values(), weights.counts()),
                                             optimizer.state()};
  return std::make_unique<adasum::DeltaSteps<float>>(*context.engine, learned,
                                                     std::vector{weights.gradients()}, step_options);
}

}  // namespace

Learner::Learner(Weights& weights, std::unique_ptr<Optimizer> optimizer, const ReduceContext& context,
                 const LearnerOptions& options)
    : weights_(weights),
      optimizer_(std::move(optimizer)),
      steps_(make_steps(weights, *optimizer_, context, options)) {}

double Learner::begin_step() {
  if (steps_->is_together()) taken_together_ = taken_;
  return steps_->begin();
}

std::optional<int> Learner::end_step(float rate, adasum::StepPosition place) {
  const auto step = [&] { optimizer_->step(weights_.values(), weights_.gradients(), {rate, ++taken_}); };
  const auto not_finite = steps_->end(step, place);
  if (not_finite) taken_ = taken_together_;
  return not_finite;
}

}  // namespace adarun::trainer
