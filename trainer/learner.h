// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trainer/combiner.h"
#include "trainer/loss_scale.h"
#include "trainer/models/weights.h"
#include "trainer/optimizers/optimizer.h"

namespace adarun::trainer {

struct LearnerOptions {
  AdasumOn adasum_on = AdasumOn::gradient;
  int local_steps = 1;  ///< Ranks combine what they have after so many steps of each.
  LossScaleOptions loss_scale = {};
};

/// Whether the next step of an epoch is its last, after which ranks combine what they have in any case.
enum class Place { inside, last };

/// One rank's part in making new weights of the gradients of all ranks. Steps of a rank on its own are
/// `local_steps` in a row: on gradients, the mean of theirs is combined, and the optimizer steps once; on
/// deltas, the optimizer takes each of them, and how far they went together is combined.
///
/// Gradients that hold NaN or an infinity, on whatever rank, move no weight on any rank.
class Learner {
 public:
  /// Weights, and the ranks of `combiner`, outlive it. `optimizer` was made for the tensors of `weights`.
  Learner(Weights& weights, std::unique_ptr<Optimizer> optimizer, Combiner& combiner,
          const LearnerOptions& options);

  /// What the next backward pass multiplies its loss by; clears the gradients where it begins a sum of them.
  double begin_step();

  /// After it, with the gradients added to weights.gradients(). Gives the lowest rank whose gradients (or, on
  /// deltas, weights) are not finite, the same on every rank. Collective at each `local_steps`-th call, and
  /// where `place` is the last.
  std::optional<int> end_step(float rate, Place place);

  /// Whether no rank has made a step that the others do not have.
  bool is_together() const { return local_ == 0; }

  /// Whether the training can go on after a step that end_step() found not finite; it then takes that as left
  /// out.
  bool drop_step();

  /// What it remembers beside the weights, to be written down and put back.
  std::vector<std::span<float>> optimizer_state() { return optimizer_->state(); }
  LossScale& loss_scale() { return scale_; }
  std::int64_t steps_taken() const { return taken_; }
  void restore_steps_taken(std::int64_t steps) { taken_ = steps; }

 private:
  std::optional<int> step_on_gradients(float rate, bool together);
  std::optional<int> step_on_deltas(float rate, bool together);
  void unscale(double divisor);

  Weights& weights_;
  std::unique_ptr<Optimizer> optimizer_;
  Combiner& combiner_;
  LearnerOptions options_;
  LossScale scale_;
  int local_ = 0;           // steps since ranks were together
  bool spoiled_ = false;    // of those on deltas, one had gradients that are not finite
  std::int64_t taken_ = 0;  // by the optimizer
};

}  // namespace adarun::trainer
