// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizer.h"

#include <cstddef>
#include <utility>

#include "trainer/error.h"

namespace adarun::trainer {
namespace {

/// Calls `update(i, decay)` for each element in order.
template <typename Update>
void for_each(const std::vector<OptimizedTensor>& tensors, float weight_decay, Update update) {
  std::size_t begin = 0;
  for (const OptimizedTensor& tensor : tensors) {
    const std::size_t end = begin + static_cast<std::size_t>(tensor.count);
    const float decay = tensor.decays ? weight_decay : 0;
    for (std::size_t i = begin; i < end; ++i) update(i, decay);
    begin = end;
  }
}

class Sgd : public Optimizer {
 public:
  Sgd(const OptimizerOptions& options, std::vector<OptimizedTensor> tensors)
      : options_(options), tensors_(std::move(tensors)) {}

  void step(std::span<float> weights, std::span<const float> gradients) override {
    const float rate = options_.learning_rate;
    for_each(tensors_, options_.weight_decay,
             [=](std::size_t i, float decay) { weights[i] -= rate * (gradients[i] + decay * weights[i]); });
  }

 private:
  OptimizerOptions options_;
  std::vector<OptimizedTensor> tensors_;
};

class Momentum : public Optimizer {
 public:
  Momentum(const OptimizerOptions& options, std::vector<OptimizedTensor> tensors)
      : options_(options), tensors_(std::move(tensors)) {}

  void step(std::span<float> weights, std::span<const float> gradients) override {
    velocity_.resize(weights.size());
    const float rate = options_.learning_rate;
    const float keep = options_.momentum;
    const std::span<float> velocity = velocity_;
    for_each(tensors_, options_.weight_decay, [=](std::size_t i, float decay) {
      velocity[i] = keep * velocity[i] + (gradients[i] + decay * weights[i]);
      weights[i] -= rate * velocity[i];
    });
  }

 private:
  OptimizerOptions options_;
  std::vector<OptimizedTensor> tensors_;
  std::vector<float> velocity_;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                          std::vector<OptimizedTensor> tensors) {
  if (options.name == "momentum") return std::make_unique<Momentum>(options, std::move(tensors));
  if (options.name == "sgd") return std::make_unique<Sgd>(options, std::move(tensors));
  throw Error("optimizer \"" + options.name + "\": not one of momentum, sgd", Exit::usage);
}

}  // namespace adarun::trainer
