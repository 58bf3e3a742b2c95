// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "adasum/diagnostics.h"
#include "adasum/engine.h"
#include "adasum/plan.h"
#include "adasum/scaled_group_mean.h"
#include "adasum/steps/steps.h"

namespace adasum {

/// A Plan for gradients; after ScaledGroupMean, where Options::group_gain asks for it. The ranks of a group
/// then have equal gradients, and the plan's own mean changes nothing. The plan finds what is not finite on
/// any rank of the world.
template <typename T>
class GradientPlan {
 public:
  /// Collective; the engine and the gradients' memory must outlive it. Throws adasum::Error as Plan does.
  GradientPlan(Engine& engine, const std::vector<std::span<T>>& gradients) : plan_(engine, gradients) {
    if (engine.options().scales_groups()) means_.emplace(engine, gradients);
  }

  /// As Plan::run(), but with a gain gradients are not left unchanged if some rank's are not finite.
  std::optional<int> run() {
    if (means_) means_->run();
    return plan_.run();
  }

  std::vector<TensorDiagnostics> diagnostics() const { return plan_.diagnostics(); }

 private:
  Plan<T> plan_;
  std::optional<ScaledGroupMean<T>> means_;
};

/// AdaSum of gradients: combines the mean of each rank's local steps. The optimizer then steps once,
/// identically on every rank, so all ranks have the same optimizer state.
template <typename T>
class GradientSteps : public Steps<T> {
 public:
  /// Combines the gradients in place, and returns what Plan::run() returns.
  using Combine = std::function<std::optional<int>()>;

  /// Combines by a GradientPlan. Collective; the engine and the gradients' memory must outlive it. Throws
  /// adasum::Error as Plan does.
  GradientSteps(Engine& engine, const std::vector<std::span<T>>& gradients, const StepOptions& options = {});

  /// Combines by another collective, such as a mean to compare with.
  GradientSteps(Combine combine, const std::vector<std::span<T>>& gradients, const StepOptions& options = {});

 private:
  using typename Steps<T>::Optimizer;
  using typename Steps<T>::Local;

  void begin_step(bool is_first) override;
  std::optional<int> end_step(const Optimizer& optimizer, const Local& local) override;

  Combine combine_;
};

extern template class GradientSteps<float>;
extern template class GradientSteps<double>;

}  // namespace adasum
