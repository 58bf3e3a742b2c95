// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/kinds.h"

namespace adarun::trainer::optimizers {
namespace {

class Lars : public Optimizer {
 public:
  Lars(const OptimizerOptions& options, OptimizedTensors tensors)
      : options_(options), tensors_(std::move(tensors)), velocity_(elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    std::size_t begin = 0;
    for (const OptimizedTensor& tensor : tensors_) {
      const auto count = static_cast<std::size_t>(tensor.count);
      const auto w = weights.subspan(begin, count);
      const auto g = gradients.subspan(begin, count);
      const float decay = tensor.decays ? options_.weight_decay : 0;
      const auto trust = tensor.decays ? static_cast<float>(trust_in(w, g)) : 1.0F;
      for (std::size_t i = 0; i < count; ++i) {
        float& v = velocity_[begin + i];
        v = options_.momentum * v + trust * (g[i] + decay * w[i]);
        w[i] -= at.rate * v;
      }
      begin += count;
    }
  }

  std::vector<std::span<float>> state() override { return {velocity_}; }

 private:
  double trust_in(std::span<const float> weights, std::span<const float> gradients) const {
    const double size = norm(weights);
    const double slope = norm(gradients) + double{options_.weight_decay} * size;
    return size > 0 && slope > 0 ? double{options_.lars_rate} * size / slope : 1;
  }

  OptimizerOptions options_;
  OptimizedTensors tensors_;
  std::vector<float> velocity_;
};

}  // namespace

std::unique_ptr<Optimizer> lars(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Lars>(options, std::move(tensors));
}

}  // namespace adarun::trainer::optimizers
