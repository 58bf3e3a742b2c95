// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/steps/steps.h"
#include "trainer/models/weights.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/reducers/combiner.h"

namespace adarun::trainer {

struct LearnerOptions {
  AdasumOn adasum_on = AdasumOn::gradient;
  int local_steps = 1;  ///< Ranks combine what they have after so many steps of each.
  adasum::LossScaleOptions loss_scale = {};
};

/// One rank's part in making new weights of the gradients of all ranks: the engine's steps (adasum::Steps),
/// taken by the optimizer that the user chose.
class Learner {
 public:
  /// Weights and `combiner` outlive it. `optimizer` was made for the tensors of `weights`. Collective.
  Learner(Weights& weights, std::unique_ptr<Optimizer> optimizer, Combiner& combiner,
          const LearnerOptions& options);

  /// As adasum::Steps::begin(), end(), is_together() and drop(), for weights.gradients().
  double begin_step();
  std::optional<int> end_step(float rate, adasum::StepPosition place);
  bool is_together() const { return steps_->is_together(); }
  bool drop_step() { return steps_->drop(); }

  /// What AdaSum saw of each tensor when deltas were last combined; of gradients the combiner knows.
  std::vector<adasum::TensorDiagnostics> diagnostics() const { return steps_->diagnostics(); }

  /// What it remembers beside the weights, to be written down and put back.
  std::vector<std::span<float>> optimizer_state() { return optimizer_->state(); }
  adasum::LossScale& loss_scale() { return steps_->loss_scale(); }
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
