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
  int local_steps = 1;  ///< Steps of each rank between reductions.
  adasum::LossScaleOptions loss_scale = {};
  std::size_t bucket_bytes = 0;  ///< For AdaSum of gradients (BucketOptions).
  int micro_batches = 1;         ///< Backward passes per step.
};

/// One rank's part in computing new weights from the gradients of all ranks: an optimizer, and the engine's
/// local steps (adasum::Steps). Either a Reducer combines their gradients, or AdaSum combines their deltas.
class Learner {
 public:
  /// Weights and `context` must outlive it. `optimizer` must be made for the tensors of `weights`.
  /// Collective.
  Learner(Weights& weights, std::unique_ptr<Optimizer> optimizer, const ReduceContext& context,
          const LearnerOptions& options);

  /// As adasum::Steps::begin() and end(), for weights.gradients() and the optimizer.
  double begin_step();
  std::optional<int> end_step(float rate, adasum::StepPosition place);

  /// Loss scale, diagnostics of the last reduction, and whether every local step has been combined. Only this
  /// learner may call its begin() and end().
  adasum::Steps<float>& steps() { return *steps_; }
  const adasum::Steps<float>& steps() const { return *steps_; }

  /// Its state besides the weights and the loss scale, for checkpoints.
  std::vector<std::span<float>> optimizer_state() { return optimizer_->state(); }
  std::int64_t steps_taken() const { return taken_; }
  void restore_steps_taken(std::int64_t steps) { taken_ = steps; }

 private:
  Weights& weights_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<adasum::Steps<float>> steps_;
  std::int64_t taken_ = 0;           // by the optimizer
  std::int64_t taken_together_ = 0;  // taken_ at the last combination
};

}  // namespace adarun::trainer
