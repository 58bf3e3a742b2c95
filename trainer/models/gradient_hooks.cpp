// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/gradient_hooks.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace adarun::trainer {

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

}  // namespace adarun::trainer
