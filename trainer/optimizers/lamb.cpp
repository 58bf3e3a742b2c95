// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/kinds.h"
#include "trainer/optimizers/moments.h"

namespace adarun::trainer::optimizers {
namespace {

class Lamb : public Optimizer {
 public:
  Lamb(const OptimizerOptions& options, OptimizedTensors tensors)
      : decay_(options.weight_decay), tensors_(std::move(tensors)), moments_(options, elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    moments_.start(at.number);
    for_each_tensor(tensors_, decay_, [&](std::size_t begin, std::size_t end, float decay) {
      const std::span<float> w = weights.subspan(begin, end - begin);
      way_.resize(w.size());
      for (std::size_t i = 0; i < w.size(); ++i) {
        way_[i] = moments_.quotient(begin + i, gradients[begin + i]) + decay * w[i];
      }
      const double size = norm(w);
      const double length = norm(way_);
      const float rate = at.rate * static_cast<float>(size > 0 && length > 0 ? size / length : 1);
      for (std::size_t i = 0; i < w.size(); ++i) w[i] -= rate * way_[i];
    });
  }

  std::vector<std::span<float>> state() override { return moments_.state(); }

 private:
  float decay_;
  OptimizedTensors tensors_;
  Moments moments_;
  std::vector<float> way_;  // the update of one tensor
};

}  // namespace

std::unique_ptr<Optimizer> lamb(const OptimizerOptions& options, OptimizedTensors tensors) {
  return std::make_unique<Lamb>(options, std::move(tensors));
}

}  // namespace adarun::trainer::optimizers
