// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "adasum/engine.h"
#include "adasum/plan.h"

namespace adasum {

/// The delta-weight variant (arXiv 2006.02924, section 4): every rank runs its optimizer step with its own
/// gradient. What is combined is the change of its weights, the delta. With momentum or Adam this differs
/// from the gradient variant, which is a Plan for the gradients that runs before the optimizer step.
///
/// T is float or double. One thread.
template <typename T>
class DeltaPlan {
 public:
  /// As Plan, for the weights.
  DeltaPlan(Engine& engine, std::vector<std::span<T>> weights);

  /// Stores the weights before the local step; they must be the same on every rank.
  void begin_step();

  /// Call after the local step: sets the weights to before - Adasum(before - weights), bit-equal on every
  /// rank. If some rank's weights are not finite, returns that rank (the lowest) and restores the weights of
  /// begin_step() on all ranks. Collective. Throws adasum::Error.
  std::optional<int> end_step();

  /// As for Plan, for each rank's delta.
  std::vector<TensorDiagnostics> diagnostics() const { return plan_.diagnostics(); }

 private:
  std::vector<std::span<T>> weights_;
  std::vector<T> before_;
  Plan<T> plan_;
};

extern template class DeltaPlan<float>;
extern template class DeltaPlan<double>;

}  // namespace adasum
