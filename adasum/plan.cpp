// SPDX-License-Identifier: Apache-2.0
#include "adasum/plan.h"

#include <utility>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/types/layout.h"

namespace adasum {

template <typename T>
Plan<T>::Plan(Engine& engine, std::vector<std::span<T>> tensors)
    : request_(std::make_unique<Request>(algorithms::make_allreduce(
          engine.topology(), algorithms::Tensors<T>(std::move(tensors)), algorithms::Results::in_place))),
      participants_(static_cast<std::size_t>(engine.topology().participants())) {}

template <typename T>
std::optional<int> Plan<T>::run() {
  const auto rank = request_->op().combine();
  if (!rank) request_->op().commit();
  return rank;
}

template <typename T>
std::optional<int> Plan<T>::wait() {
  const auto rank = request_->wait();
  if (!rank) request_->op().commit();
  return rank;
}

template class Plan<float>;
template class Plan<double>;
template class Plan<Float16>;
template class Plan<BFloat16>;

template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts, Engine& engine) {
  return Plan<T>(engine, tensors_of(data, counts)).run();
}

template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts,
                             Communicator& communicator, const Options& options) {
  Engine engine(communicator, options);
  return allreduce(data, counts, engine);
}

template std::optional<int> allreduce<float>(std::span<float>, std::span<const std::int64_t>, Engine&);
template std::optional<int> allreduce<float>(std::span<float>, std::span<const std::int64_t>, Communicator&,
                                             const Options&);
template std::optional<int> allreduce<double>(std::span<double>, std::span<const std::int64_t>, Engine&);
template std::optional<int> allreduce<double>(std::span<double>, std::span<const std::int64_t>, Communicator&,
                                              const Options&);
template std::optional<int> allreduce<Float16>(std::span<Float16>, std::span<const std::int64_t>, Engine&);
template std::optional<int> allreduce<Float16>(std::span<Float16>, std::span<const std::int64_t>,
                                               Communicator&, const Options&);
template std::optional<int> allreduce<BFloat16>(std::span<BFloat16>, std::span<const std::int64_t>, Engine&);
template std::optional<int> allreduce<BFloat16>(std::span<BFloat16>, std::span<const std::int64_t>,
                                                Communicator&, const Options&);

}  // namespace adasum
