// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/bucketed_adasum.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "adasum/types/layout.h"

namespace adarun::trainer {
namespace {

using torch::autograd::variable_list;

/// Hears of each gradient of a backward pass, in the thread of the pass, as soon as it has been added to the
/// existing gradient: mostly from the last layer to the first.
class OfWeights : public BucketedAdasum {
 public:
  OfWeights(adasum::Engine& engine, Weights& weights, const BucketOptions& options)
      : BucketedAdasum(engine, weights.gradients(), weights.counts(), options) {
    for (std::size_t t = 0; t < weights.tensors().size(); ++t) {
      const auto node = torch::autograd::impl::grad_accumulator(weights.tensors()[t]);
      hooks_.emplace_back(node, node->add_post_hook(std::make_unique<Hook>(*this, t)));
    }
  }
  ~OfWeights() override {
    for (const auto& [node, key] : hooks_) node->del_post_hook(key);
  }
  OfWeights(const OfWeights&) = delete;
  OfWeights& operator=(const OfWeights&) = delete;

 private:
  /// What it throws ends the backward pass.
  class Hook : public torch::autograd::FunctionPostHook {
   public:
    Hook(OfWeights& of, std::size_t tensor) : of_(of), tensor_(tensor) {}

    variable_list operator()(const variable_list& outputs, const variable_list& /*inputs*/) override {
      of_.added(tensor_);
      return outputs;
    }

   private:
    OfWeights& of_;
    std::size_t tensor_;
  };

  /// The autograd node that adds to each tensor's gradient, and the key of its hook. Torch creates the node
  /// for each pass unless a reference is held.
  std::vector<std::pair<std::shared_ptr<torch::autograd::Node>, std::uintptr_t>> hooks_;
};

}  // namespace

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

std::unique_ptr<Reducer> bucketed_adasum(const ReduceContext& context, Weights& weights,
                                         const BucketOptions& options) {
  assert(context.engine);
  return std::make_unique<OfWeights>(*context.engine, weights, options);
}

}  // namespace adarun::trainer
