// SPDX-License-Identifier: Apache-2.0
#include "adasum/allreduce.h"

#include "adasum/layout.h"
#include "adasum/plan.h"

namespace adasum {

template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts, Engine& engine) {
  return Plan<T>(engine, tensors_of(data, counts)).run();
}

template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts, Peers& peers,
                             const Options& options) {
  Engine engine(peers, options);
  return allreduce(data, counts, engine);
}

template std::optional<int> allreduce<float>(std::span<float>, std::span<const std::int64_t>, Engine&);
template std::optional<int> allreduce<float>(std::span<float>, std::span<const std::int64_t>, Peers&, const Options&);
template std::optional<int> allreduce<double>(std::span<double>, std::span<const std::int64_t>, Engine&);
template std::optional<int> allreduce<double>(std::span<double>, std::span<const std::int64_t>, Peers&, const Options&);
template std::optional<int> allreduce<Float16>(std::span<Float16>, std::span<const std::int64_t>, Engine&);
template std::optional<int> allreduce<Float16>(std::span<Float16>, std::span<const std::int64_t>, Peers&, const Options&);
template std::optional<int> allreduce<BFloat16>(std::span<BFloat16>, std::span<const std::int64_t>, Engine&);
template std::optional<int> allreduce<BFloat16>(std::span<BFloat16>, std::span<const std::int64_t>, Peers&, const Options&);

}  // namespace adasum
