// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/kinds.h"
#include "trainer/optimizers/moments.h"

namespace adarun::trainer::optimizers {
namespace {

class Adam : public Optimizer {
 public:
  Adam(const OptimizerOptions& options, OptimizedTensors tensors)
      : decay_(options.weight_decay), tensors_(std::move(tensors)), moments_(options, elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    moments_.start(at.number);
    for_each_tensor(tensors_, decay_, [&](std::size_t begin, std::size_t end, float decay) {
      for (std::size_t i = begin; i < end; ++i) {
        weights[i] -= at.rate * moments_.quotient(i, gradients[i] + decay * weights[i]);
      }
    });
  }

  std::vector<std::span<float>> state() override { return moments_.state(); }

 private:
  float decay_;
  OptimizedTensors tensors_;
  Moments moments_;
};

}  // namespace

std::unique_ptr<Optimizer> adam(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Adam>(options, std::move(tensors));
}

}  // namespace adarun::trainer::optimizers
