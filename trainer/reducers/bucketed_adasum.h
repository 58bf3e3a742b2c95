// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/bucket_plan.h"
#include "adasum/engine.h"
#include "trainer/models/weights.h"
#include "trainer/reducers/reducer.h"

namespace adarun::trainer {

/// AdaSum in buckets (adasum::BucketPlan). A bucket starts when added() has been called `options.passes`
/// times for each of its tensors; reduce() starts the remaining ones.
class BucketedAdasum : public Reducer {
 public:
  /// `counts`: elements of each tensor in `gradients`. Engine and gradients must outlive it. Collective.
  BucketedAdasum(adasum::Engine& engine, std::span<float> gradients, std::span<const std::int64_t> counts,
                 const BucketOptions& options);

  /// Call this after a backward pass has added to tensor number `tensor`, in the thread that calls reduce().
  void added(std::size_t tensor);

  std::optional<int> reduce() override;
  std::vector<adasum::TensorDiagnostics> diagnostics() const override { return plan_.diagnostics(); }

 private:
  adasum::BucketPlan<float> plan_;
  int passes_;
  std::vector<int> left_;  // passes until each tensor is ready
};

/// One of the gradients of `weights`, whose tensors it adds as backward passes reach them. Requires an
/// engine. Collective; weights and context must outlive it.
std::unique_ptr<Reducer> bucketed_adasum(const ReduceContext& context, Weights& weights,
                                         const BucketOptions& options);

}  // namespace adarun::trainer
