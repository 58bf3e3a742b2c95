// SPDX-License-Identifier: Apache-2.0
#include "adasum/steps/steps.h"

#include <algorithm>
#include <utility>

#include "adasum/kernels/arrays.h"

namespace adasum {
namespace {

constexpr std::int64_t window = 2000;
constexpr double highest = 0x1p60;

}  // namespace

void LossScale::taken() {
  if (!options_.dynamic || ++taken_ < window) return;
  taken_ = 0;
  value_ = std::min(highest, 2 * value_);
}

void LossScale::dropped() {
  taken_ = 0;
  if (options_.dynamic) value_ = std::max(1.0, value_ / 2);
}

void LossScale::restore(double value, std::int64_t taken_in_a_row) {
  value_ = value;
  taken_ = taken_in_a_row;
}

template <typename T>
Steps<T>::Steps(std::vector<std::span<T>> gradients, const StepOptions& options)
    : gradients_(std::move(gradients)), options_(options), scale_(options.loss_scale) {}

template <typename T>
double Steps<T>::begin() {
  begin_step(local_ == 0);
  return scale_.value();
}

template <typename T>
std::optional<int> Steps<T>::end(const Optimizer& optimizer, StepPosition position) {
  const Local local{++local_, local_ == options_.local_steps || position == StepPosition::last};
  if (local.together) local_ = 0;
  const auto rank = end_step(optimizer, local);
  if (local.together && !rank) scale_.taken();
  return rank;
}

template <typename T>
bool Steps<T>::drop() {
  if (!scale_.can_drop()) return false;
  scale_.dropped();
  return true;
}

template <typename T>
void Steps<T>::clear_gradients() {
  for (const std::span<T> gradient : gradients_) std::ranges::fill(gradient, T{0});
}

template <typename T>
void Steps<T>::divide_gradients(double divisor) {
  if (divisor == 1) return;
  const auto factor = static_cast<T>(1 / divisor);
  for (const std::span<T> gradient : gradients_) {
    for (T& value : gradient) value *= factor;
  }
}

template <typename T>
bool Steps<T>::has_finite_gradients() const {
  return std::ranges::all_of(gradients_,
                             [](std::span<T> gradient) { return kernels::is_finite<T>(gradient); });
}

template class Steps<float>;
template class Steps<double>;

}  // namespace adasum
