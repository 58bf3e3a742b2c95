// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/bucketed_adasum.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "adasum/types/layout.h"
#include "trainer/models/weights.h"

namespace adarun::trainer {
namespace {

/// Reports each gradient of a backward pass, in the thread of the pass, as soon as it has been added to the
/// existing gradient: mostly from the last layer to the first.
class GradientHooks {
 public:
  /// `added(t)` is called after a gradient was added to that of tensor t. If it throws, the backward pass
  /// ends.
  GradientHooks(const Weights& weights, std::function<void(std::size_t tensor)> added);
  ~GradientHooks();
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

 private:
  class Hook;
  struct Accumulator;

  std::function<void(std::size_t)> added_;
  std::vector<Accumulator> accumulators_;
};

using torch::autograd::variable_list;

class GradientHooks::Hook : public torch::autograd::FunctionPostHook {
 public:
  Hook(const std::function<void(std::size_t)>& added, std::size_t tensor) : added_(added), tensor_(tensor) {}

  variable_list operator()(const variable_list& outputs, const variable_list& /*inputs*/) override {
    added_(tensor_);
    return outputs;
  }

 private:
  const std::function<void(std::size_t)>& added_;
  std::size_t tensor_;
};

/// The autograd node that adds to one tensor's gradient. Torch creates it for each pass unless a reference is
/// held.
struct GradientHooks::Accumulator {
  std::shared_ptr<torch::autograd::Node> node;
  std::uintptr_t key = 0;
};

GradientHooks::GradientHooks(const Weights& weights, std::function<void(std::size_t)> added)
    : added_(std::move(added)) {
  for (std::size_t t = 0; t < weights.tensors().size(); ++t) {
    Accumulator accumulator{torch::autograd::impl::grad_accumulator(weights.tensors()[t])};
    accumulator.key = accumulator.node->add_post_hook(std::make_unique<Hook>(added_, t));
    accumulators_.push_back(std::move(accumulator));
  }
}

GradientHooks::~GradientHooks() {
  for (Accumulator& accumulator : accumulators_) accumulator.node->del_post_hook(accumulator.key);
}

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
