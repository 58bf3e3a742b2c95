// SPDX-License-Identifier: Apache-2.0
#include "adasum/allreduce.h"

#include "adasum/plan.h"
#include "adasum/types/layout.h"

namespace adasum {

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
