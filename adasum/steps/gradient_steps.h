// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "adasum/engine.h"
#include "adasum/steps/steps.h"

namespace adasum {

/// AdaSum of gradients: combines the mean of each rank's local steps. The optimizer then steps once,
/// identically on every rank, so all ranks have the same optimizer state.
template <typename T>
class GradientSteps : public Steps<T> {
 public:
  /// Combines the gradients in place, and returns what Plan::run() returns.
  using Combine = std::function<std::optional<int>()>;

  /// Combines by a Plan, after ScaledGroupMean if Options::group_gain asks for it. Collective; the engine and
  /// the gradients' memory must outlive it. Throws adasum::Error as Plan does.
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
