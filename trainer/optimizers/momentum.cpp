// SPDX-License-Identifier: Apache-2.0
#include "adasum/steps/momentum.h"
#include "trainer/optimizers/kinds.h"

namespace adarun::trainer::optimizers {
namespace {

class MomentumSgd : public Optimizer {
 public:
  MomentumSgd(const OptimizerOptions& options, OptimizedTensors tensors)
      : options_(options), tensors_(std::move(tensors)), velocity_(elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    const std::span<float> velocity = velocity_;
    for_each_tensor(tensors_, options_.weight_decay, [&](std::size_t begin, std::size_t end, float decay) {
      const std::size_t size = end - begin;
      adasum::take_step<float>({at.rate, options_.momentum, decay, options_.nesterov},
                               weights.subspan(begin, size), gradients.subspan(begin, size),
                               velocity.subspan(begin, size));
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
  return std::make_unique<MomentumSgd>(options, std::move(tensors));
}

}  // namespace adarun::trainer::optimizers
