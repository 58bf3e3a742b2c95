// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "adasum/engine.h"
#include "adasum/plan.h"

namespace adasum {

/// The delta-weight variant (arXiv 2006.02924, section 4): every rank steps its optimizer by its own
/// gradient, and what is combined is how far its weights have moved, the delta. With momentum or Adam this
/// differs from the gradient variant, which is a Plan for the gradients that is run before the optimizer
/// steps.
///
/// T is float or double. One thread.
template <typename T>
class DeltaPlan {
 public:
  /// As Plan, for the weights.
  DeltaPlan(Engine& engine, std::vector<std::span<T>> weights);

  /// Stores the weights as they are before the local step; the same on every rank.
  void begin_step();

  /// To be called with the weights after the local step: makes them before - Adasum(before - weights),
  /// bit-equal on every rank. Where some rank's are not finite, that rank (the lowest) is returned and the
  /// weights are what they were at begin_step(), as though no rank had stepped. Collective. Throws
  /// adasum::Error.
  std::optional<int> end_step();

  /// As Plan's, of each rank's delta.
  std::vector<TensorDiagnostics> diagnostics() const { return plan_.diagnostics(); }

 private:
  std::vector<std::span<T>> weights_;
  std::vector<T> before_;
  Plan<T> plan_;
};

extern template class DeltaPlan<float>;
extern template class DeltaPlan<double>;

}  // namespace adasum
