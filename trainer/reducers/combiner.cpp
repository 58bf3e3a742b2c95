// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/combiner.h"

#include <algorithm>
#include <cassert>

#include "adasum/finite.h"
#include "adasum/mean.h"
#include "adasum/types/layout.h"
#include "trainer/base/collective.h"

namespace adarun::trainer {

Combiner::Combiner(adasum::Communicator& communicator, Reduce reduce, int group_size, Diagnostics diagnostics)
    : communicator_(communicator), reduce_(reduce) {
  if (reduce != Reduce::adasum) return;
  // Which worlds are taken is for choose_reduction() to say.
  const adasum::Options options{.group_size = group_size,
                                .worlds = adasum::Worlds::any,
                                .diagnostics = diagnostics == Diagnostics::yes};
  engine_ = std::make_unique<adasum::Engine>(communicator, options);
}

std::span<float> Combiner::allocate(std::size_t count) {
  if (!engine_) return memory_.emplace_back(count);
  const std::span<std::byte> bytes = engine_->allocate(count * sizeof(float));
  return {reinterpret_cast<float*>(bytes.data()), count};
}

void Combiner::combine_early(std::span<float> data, std::span<const std::int64_t> counts,
                             std::size_t bucket_bytes, int passes) {
  assert(engine_ && !gradients_);
  buckets_.emplace(*engine_, adasum::tensors_of(data, counts), bucket_bytes);
  passes_ = passes;
  left_.assign(counts.size(), passes);
}

void Combiner::added(std::size_t tensor) {
  if (--left_[tensor] == 0) buckets_->ready(tensor);
}

std::optional<int> Combiner::combine_rest() {
  std::ranges::fill(left_, passes_);
  return buckets_->wait();
}

std::optional<int> Combiner::combine(std::span<float> data, std::span<const std::int64_t> counts) {
  if (buckets_) return combine_rest();
  if (reduce_ == Reduce::adasum) {
    if (!gradients_) gradients_.emplace(*engine_, adasum::tensors_of(data, counts));
    return gradients_->run();
  }
  if (const auto rank = adasum::first_not_finite(std::span<const float>(data), communicator_)) return rank;
  if (reduce_ == Reduce::mean) adasum::mean(data, communicator_);
  if (reduce_ == Reduce::sum) communicator_.sum(data);
  return std::nullopt;
}

std::vector<adasum::TensorDiagnostics> Combiner::diagnostics() const {
  if (buckets_) return buckets_->diagnostics();
  if (gradients_) return gradients_->diagnostics();
  return {};
}

void Combiner::wait_for_all() {
  trainer::wait_for_all(communicator_);
}

}  // namespace adarun::trainer
