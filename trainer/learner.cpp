// SPDX-License-Identifier: Apache-2.0
#include "trainer/learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace adarun::trainer {

Learner::Learner(Weights& weights, std::unique_ptr<Optimizer> optimizer, Combiner& combiner,
                 const LearnerOptions& options)
    : weights_(weights),
      optimizer_(std::move(optimizer)),
      combiner_(combiner),
      options_(options),
      scale_(options.loss_scale) {}

double Learner::begin_step() {
  if (local_ == 0 || options_.adasum_on == AdasumOn::delta) std::ranges::fill(weights_.gradients(), 0.0F);
  return scale_.value();
}

std::optional<int> Learner::end_step(float rate, Place place) {
  const bool together = ++local_ == options_.local_steps || place == Place::last;
  const std::optional<int> not_finite = options_.adasum_on == AdasumOn::gradient
                                            ? step_on_gradients(rate, together)
                                            : step_on_deltas(rate, together);
  if (!together) return std::nullopt;
  local_ = 0;
  if (!not_finite) scale_.taken();
  return not_finite;
}

std::optional<int> Learner::step_on_gradients(float rate, bool together) {
  if (!together) return std::nullopt;
  if (const auto rank = combiner_.combine(weights_.gradients(), weights_.counts())) return rank;
  unscale(scale_.value() * local_);
  optimizer_->step(weights_.values(), weights_.gradients(), {rate, ++taken_});
  return std::nullopt;
}

std::optional<int> Learner::step_on_deltas(float rate, bool together) {
  if (local_ == 1) combiner_.begin_delta(weights_.values(), weights_.counts());
  const auto gradients = weights_.gradients();
  if (std::ranges::all_of(gradients, [](float g) { return std::isfinite(g); })) {
    unscale(scale_.value());
    optimizer_->step(weights_.values(), gradients, {rate, ++taken_});
  } else {
    spoiled_ = true;
  }
  if (!together) return std::nullopt;
  // A weight that is not finite is seen by all ranks, which go back to where they were together.
  if (std::exchange(spoiled_, false)) weights_.values()[0] = std::numeric_limits<float>::quiet_NaN();
  return combiner_.end_delta();
}

void Learner::unscale(double divisor) {
  if (divisor == 1) return;
  const auto factor = static_cast<float>(1 / divisor);
  for (float& gradient : weights_.gradients()) gradient *= factor;
}

bool Learner::drop_step() {
  if (!scale_.can_drop()) return false;
  scale_.dropped();
  return true;
}

}  // namespace adarun::trainer
