// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/bucketed_adasum.h"

#include <algorithm>
#include <cassert>

#include "adasum/types/layout.h"
#include "trainer/models/gradient_hooks.h"
#include "trainer/reducers/kinds.h"

namespace adarun::trainer {

BucketedAdasum::BucketedAdasum(adasum::Engine& engine, std::span<float> gradients,
                               std::span<const std::int64_t> counts, const BucketOptions& options)
    : plan_(engine, adasum::tensors_of(gradients, counts), options.bucket_bytes),
      passes_(options.passes),
      left_(counts.size(), options.passes) {}

void BucketedAdasum::added(std::size_t tensor) {
  if (--left_[tensor] == 0) plan_.ready(tensor);
}

std::optional<int> BucketedAdasum::reduce() {
  std::ranges::fill(left_, passes_);
  return plan_.wait();
}

namespace reducers {
namespace {

/// Uses hooks to observe what backward passes add.
class OfWeights : public BucketedAdasum {
 public:
  OfWeights(adasum::Engine& engine, Weights& weights, const BucketOptions& options)
      : BucketedAdasum(engine, weights.gradients(), weights.counts(), options),
        hooks_(weights, [this](std::size_t tensor) { added(tensor); }) {}

 private:
  GradientHooks hooks_;
};

}  // namespace

std::unique_ptr<Reducer> bucketed_adasum(const ReduceContext& context, Weights& weights,
                                         const BucketOptions& options) {
  assert(context.engine);
  return std::make_unique<OfWeights>(*context.engine, weights, options);
}

}  // namespace reducers
}  // namespace adarun::trainer
