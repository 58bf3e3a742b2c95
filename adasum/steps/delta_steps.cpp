// SPDX-License-Identifier: Apache-2.0
#include "adasum/steps/delta_steps.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace adasum {

template <typename T>
DeltaSteps<T>::DeltaSteps(Engine& engine, const LocalState<T>& state,
                          const std::vector<std::span<T>>& gradients, const StepOptions& options,
                          const std::vector<std::span<T>>& group_tensors)
    : Steps<T>(gradients, options),
      state_(state),
      optimizer_state_before_(state.optimizer_state.size()),
      plan_(engine, state.weights) {
  if (engine.options().group_size == 1) return;
  group_mean_ =
      std::make_unique<ScaledGroupMean<T>>(engine, group_tensors.empty() ? gradients : group_tensors);
}

template <typename T>
void DeltaSteps<T>::begin_step(bool is_first) {
  this->clear_gradients();
  if (!is_first) return;
  plan_.begin_step();
  for (std::size_t i = 0; i < optimizer_state_before_.size(); ++i)
    optimizer_state_before_[i].assign(state_.optimizer_state[i].begin(), state_.optimizer_state[i].end());
}

// Replaces the gradients by the mean of the group. If they are not finite, no rank of the group may step, and
// one of its ranks records it.
template <typename T>
bool DeltaSteps<T>::average_gradients() {
  if (!group_mean_) {
    const bool finite = this->has_finite_gradients();
    not_finite_ = not_finite_ || !finite;
    return finite;
  }
  const auto rank = group_mean_->run();
  not_finite_ = not_finite_ || rank == group_mean_->group().rank();
  return !rank;
}

template <typename T>
std::optional<int> DeltaSteps<T>::end_step(const Optimizer& optimizer, const Local& local) {
  if (average_gradients()) {
    this->divide_gradients(this->loss_scale().value());
    optimizer();
  }
  if (!local.together) return std::nullopt;
  // A weight that is not finite makes end_step() fail on all ranks, which then restore the last combined
  // weights.
  const auto first =
      std::ranges::find_if(state_.weights, [](std::span<T> weight) { return !weight.empty(); });
  if (std::exchange(not_finite_, false) && first != state_.weights.end())
    first->front() = std::numeric_limits<T>::quiet_NaN();
  const auto rank = plan_.end_step();
  if (!rank) return std::nullopt;
  for (std::size_t i = 0; i < optimizer_state_before_.size(); ++i)
    std::ranges::copy(optimizer_state_before_[i], state_.optimizer_state[i].begin());
  return rank;
}

template class DeltaSteps<float>;
template class DeltaSteps<double>;

}  // namespace adasum
