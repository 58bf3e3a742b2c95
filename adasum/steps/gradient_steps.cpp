// SPDX-License-Identifier: Apache-2.0
#include "adasum/steps/gradient_steps.h"

#include <memory>
#include <utility>

#include "adasum/plan.h"
#include "adasum/scaled_group_mean.h"

namespace adasum {
namespace {

/// A plan; after the scaled means of groups, where the options ask for a gain. The ranks of a group then have
/// equal gradients, and the plan's own mean changes nothing. The plan finds what is not finite on any rank of
/// the world.
template <typename T>
std::function<std::optional<int>()> combine(Engine& engine, const std::vector<std::span<T>>& gradients) {
  const auto plan = std::make_shared<Plan<T>>(engine, gradients);
  if (!engine.options().scales_groups()) return [plan] { return plan->run(); };
  const auto means = std::make_shared<ScaledGroupMean<T>>(engine, gradients);
  return [means, plan] {
    means->run();
    return plan->run();
  };
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
