// SPDX-License-Identifier: Apache-2.0
#include "adasum/steps/gradient_steps.h"

#include <memory>
#include <utility>

namespace adasum {
namespace {

template <typename T>
std::function<std::optional<int>()> combine(Engine& engine, const std::vector<std::span<T>>& gradients) {
  return [plan = std::make_shared<GradientPlan<T>>(engine, gradients)] { return plan->run(); };
}

}  // namespace

template <typename T>
GradientSteps<T>::GradientSteps(Engine& engine, const std::vector<std::span<T>>& gradients,
                                const StepOptions& options)
    : GradientSteps(combine(engine, gradients), gradients, options) {}

template <typename T>
GradientSteps<T>::GradientSteps(Combine combine, const std::vector<std::span<T>>& gradients,
                                const StepOptions& options)
    : Steps<T>(gradients, options), combine_(std::move(combine)) {}

template <typename T>
void GradientSteps<T>::begin_step(bool is_first) {
  if (is_first) this->clear_gradients();
}

template <typename T>
std::optional<int> GradientSteps<T>::end_step(const Optimizer& optimizer, const Local& local) {
  if (!local.together) return std::nullopt;
  if (const auto rank = combine_()) return rank;
  this->divide_gradients(this->loss_scale().value() * local.step);
  optimizer();
  return std::nullopt;
}

template class GradientSteps<float>;
template class GradientSteps<double>;

}  // namespace adasum
