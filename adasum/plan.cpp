// SPDX-License-Identifier: Apache-2.0
#include "adasum/plan.h"

#include <utility>

#include "adasum/algorithms/make_course.h"
#include "adasum/tensors.h"

namespace adasum {

using algorithms::Results;

template <typename T>
Plan<T>::Plan(Engine& engine, std::vector<std::span<T>> tensors)
    : flight_(std::make_unique<Flight>(
          algorithms::make_course(engine, Tensors<T>(std::move(tensors)), Results::in_place))),
      participants_(static_cast<std::size_t>(engine.world().size() / engine.options().group_size)) {}

template <typename T>
std::optional<int> Plan<T>::run() {
  const auto rank = flight_->course().combine();
  if (!rank) flight_->course().commit();
  return rank;
}

template <typename T>
std::optional<int> Plan<T>::wait() {
  const auto rank = flight_->wait();
  if (!rank) flight_->course().commit();
  return rank;
}

template class Plan<float>;
template class Plan<double>;
template class Plan<Float16>;
template class Plan<BFloat16>;

}  // namespace adasum
