// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/kinds.h"

namespace adarun::trainer::optimizers {
namespace {

class Momentum : public Optimizer {
 public:
  Momentum(const OptimizerOptions& options, OptimizedTensors tensors)
      : options_(options), tensors_(std::move(tensors)), velocity_(elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const Step& at) override {
    const float keep = options_.momentum;
    const std::span<float> velocity = velocity_;
    for_each_tensor(tensors_, options_.weight_decay, [&](std::size_t begin, std::size_t end, float decay) {
      for (std::size_t i = begin; i < end; ++i) {
        velocity[i] = keep * velocity[i] + (gradients[i] + decay * weights[i]);
        weights[i] -= at.rate * velocity[i];
      }
    });
  }

  std::vector<std::span<float>> state() override { return {velocity_}; }

 private:
  OptimizerOptions options_;
  OptimizedTensors tensors_;
  std::vector<float> velocity_;
};

}  // namespace

std::unique_ptr<Optimizer> momentum(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Momentum>(options, std::move(tensors));
}

}  // namespace adarun::trainer::optimizers
