// SPDX-License-Identifier: Apache-2.0
#include "adasum/delta_plan.h"

#include <cstddef>

namespace adasum {
namespace {

template <typename T>
std::size_t size_of(const std::vector<std::span<T>>& tensors) {
  std::size_t size = 0;
  for (const std::span<T> tensor : tensors) size += tensor.size();
  return size;
}

// Calls visit(weight, kept) for each weight and its stored value.
template <typename T, typename Visit>
void for_each_weight(const std::vector<std::span<T>>& tensors, std::span<T> kept, const Visit& visit) {
  std::size_t next = 0;
  for (const std::span<T> tensor : tensors) {
    for (T& weight : tensor) visit(weight, kept[next++]);
  }
}

}  // namespace

template <typename T>
DeltaPlan<T>::DeltaPlan(Engine& engine, std::vector<std::span<T>> weights)
    : weights_(weights), before_(size_of(weights)), plan_(engine, std::move(weights)) {}

template <typename T>
void DeltaPlan<T>::begin_step() {
  for_each_weight<T>(weights_, before_, [](T& weight, T& before) { before = weight; });
}

template <typename T>
std::optional<int> DeltaPlan<T>::end_step() {
  const auto subtract = [](T& weight, T& before) { weight = before - weight; };
  for_each_weight<T>(weights_, before_, subtract);
  const auto rank = plan_.run();
  if (rank) {
    for_each_weight<T>(weights_, before_, [](T& weight, T& before) { weight = before; });
  } else {
    for_each_weight<T>(weights_, before_, subtract);
  }
  return rank;
}

template class DeltaPlan<float>;
template class DeltaPlan<double>;

}  // namespace adasum
