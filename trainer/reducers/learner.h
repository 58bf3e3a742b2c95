// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/steps/steps.h"
#include "trainer/models/weights.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/reducers/reduce_context.h"

namespace adarun::trainer {

struct LearnerOptions {
  AdasumOn adasum_on = AdasumOn::gradient;
  int local_steps = 1;  ///< Ranks reduce what they have after so many steps of each.
  adasum::LossScaleOptions loss_scale = {};
  std::size_t bucket_bytes = 0;  ///< Of AdaSum of gradients (BucketOptions).
  int micro_batches = 1;         ///< Backward passes of each step.
};

/// One rank's part in making new weights of the gradients of all ranks: an optimizer, and the engine's local
/// steps (adasum::Steps), whose gradients are reduced by a Reducer, or which go by AdaSum of deltas.
class Learner {
 public:
  /// Weights and `context` outlive it. `optimizer` was made for the tensors of `weights`. Collective.
  Learner(Weights& weights, std::unique_ptr<Optimizer> optimizer, const ReduceContext& context,
          const LearnerOptions& options);

  /// As adasum::Steps::begin() and end(), for weights.gradients() and the optimizer.
  double begin_step();
  std::optional<int> end_step(float rate, adasum::StepPosition place);

  /// Loss scale, diagnostics of what was reduced last, and whether ranks are together. Its begin() and end()
  /// are this learner's to call.
  adasum::Steps<float>& steps() { return *steps_; }
  const adasum::Steps<float>& steps() const { return *steps_; }

  /// What it remembers beside the weights and the loss scale, to be written down and put back.
  std::vector<std::span<float>> optimizer_state() { return optimizer_->state(); }
  std::int64_t steps_taken() const { return taken_; }
  void restore_steps_taken(std::int64_t steps) { taken_ = steps; }

 private:
  Weights& weights_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<adasum::Steps<float>> steps_;
  std::int64_t taken_ = 0;           // by the optimizer
  std::int64_t taken_together_ = 0;  // of these, until ranks were last together
};

}  // namespace adarun::trainer
