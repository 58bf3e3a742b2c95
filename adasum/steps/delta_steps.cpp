// SPDX-License-Identifier: Apache-2.0
#include "adasum/steps/delta_steps.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace adasum {

template <typename T>
DeltaSteps<T>::DeltaSteps(Engine& engine, const Learned<T>& learned,
                          const std::vector<std::span<T>>& gradients, const StepOptions& options)
    : Steps<T>(gradients, options),
      learned_(learned),
      memory_before_(learned.memory.size()),
      plan_(engine, learned.weights) {
  Peers& world = engine.world();
  const int group_size = engine.options().group_size;
  if (group_size > 1) group_ = std::make_unique<Group>(world.split(world.rank() / group_size), gradients);
}

template <typename T>
void DeltaSteps<T>::begin_step(bool is_first) {
  this->clear_gradients();
  if (!is_first) return;
  plan_.begin_step();
  for (std::size_t i = 0; i < memory_before_.size(); ++i)
    memory_before_[i].assign(learned_.memory[i].begin(), learned_.memory[i].end());
}

// Makes the gradients the group's. Where they are not finite no rank of it may step, and one of them
// remembers.
template <typename T>
bool DeltaSteps<T>::take_gradients() {
  if (!group_) {
    const bool finite = this->has_finite_gradients();
    spoiled_ = spoiled_ || !finite;
    return finite;
  }
  const auto rank = group_->mean.run();
  spoiled_ = spoiled_ || rank == group_->peers->rank();
  return !rank;
}

template <typename T>
std::optional<int> DeltaSteps<T>::end_step(const Optimizer& optimizer, const Local& local) {
  if (take_gradients()) {
    this->divide_gradients(this->loss_scale().value());
    optimizer();
  }
  if (!local.together) return std::nullopt;
  // A weight that is not finite is seen by all ranks, which go back to where they were together.
  const auto first =
      std::ranges::find_if(learned_.weights, [](std::span<T> weight) { return !weight.empty(); });
  if (std::exchange(spoiled_, false) && first != learned_.weights.end())
    first->front() = std::numeric_limits<T>::quiet_NaN();
  const auto rank = plan_.end_step();
  if (!rank) return std::nullopt;
  for (std::size_t i = 0; i < memory_before_.size(); ++i)
    std::ranges::copy(memory_before_[i], learned_.memory[i].begin());
  return rank;
}

template class DeltaSteps<float>;
template class DeltaSteps<double>;

}  // namespace adasum
