// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/kinds.h"

namespace adarun::trainer::optimizers {
namespace {

class Sgd : public Optimizer {
 public:
  Sgd(const OptimizerOptions& options, OptimizedTensors tensors)
      : decay_(options.weight_decay), tensors_(std::move(tensors)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    for_each_tensor(tensors_, decay_, [&](std::size_t begin, std::size_t end, float decay) {
      for (std::size_t i = begin; i < end; ++i) weights[i] -= at.rate * (gradients[i] + decay * weights[i]);
    });
  }

 private:
  float decay_;
  OptimizedTensors tensors_;
};

}  // namespace

std::unique_ptr<Optimizer> sgd(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Sgd>(options, std::move(tensors));
}

}  // namespace adarun::trainer::optimizers
