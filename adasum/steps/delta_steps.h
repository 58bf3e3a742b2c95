// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/delta_plan.h"
#include "adasum/engine.h"
#include "adasum/scaled_group_mean.h"
#include "adasum/steps/steps.h"

namespace adasum {

/// The training state that a local step changes on one rank only.
template <typename T>
struct LocalState {
  std::vector<std::span<T>> weights;
  /// The optimizer's state, such as momentum: restored together with the weights.
  std::vector<std::span<T>> optimizer_state = {};
};

/// AdaSum of weight deltas (DeltaPlan): each rank's optimizer takes its local steps with that rank's
/// gradients and keeps its own state. If the engine has groups, a group acts as one rank: each local step
/// uses the mean of the group's gradients, times Options::group_gain, so its ranks have the same weights and
/// the same optimizer state.
template <typename T>
class DeltaSteps : public Steps<T> {
 public:
  /// Collective; the engine and all memory must outlive it. `group_tensors`: the parts of the gradients that
  /// get a group gain each; the gradients themselves if empty. Throws adasum::Error as Plan does.
  DeltaSteps(Engine& engine, const LocalState<T>& state, const std::vector<std::span<T>>& gradients,
             const StepOptions& options = {}, const std::vector<std::span<T>>& group_tensors = {});

  std::vector<TensorDiagnostics> diagnostics() const override { return plan_.diagnostics(); }

 private:
  using typename Steps<T>::Optimizer;
  using typename Steps<T>::Local;

  void begin_step(bool is_first) override;
  std::optional<int> end_step(const Optimizer& optimizer, const Local& local) override;
  bool average_gradients();

  LocalState<T> state_;
  std::vector<std::vector<T>> optimizer_state_before_;
  std::unique_ptr<ScaledGroupMean<T>> group_mean_;  // null for a group of one rank
  DeltaPlan<T> plan_;
  bool not_finite_ = false;  // a local step had gradients that are not finite
};

extern template class DeltaSteps<float>;
extern template class DeltaSteps<double>;

}  // namespace adasum
