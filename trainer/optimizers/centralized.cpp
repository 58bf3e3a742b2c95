// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "trainer/optimizers/kinds.h"

namespace adarun::trainer::optimizers {
namespace {

/// Subtracts from each row its mean.
void centralize(std::span<float> values, std::size_t rows) {
  const std::size_t columns = values.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<float> of = values.subspan(row * columns, columns);
    double sum = 0;
    for (const float value : of) sum += double{value};
    const auto mean = static_cast<float>(sum / static_cast<double>(columns));
    for (float& value : of) value -= mean;
  }
}

class Centralized : public Optimizer {
 public:
  Centralized(std::unique_ptr<Optimizer> inner, float decay, OptimizedTensors tensors)
      : inner_(std::move(inner)),
        decay_(decay),
        tensors_(std::move(tensors)),
        gradients_(elements(tensors_)) {}

  void step(std::span<float> weights, std::span<const float> gradients, const OptimizerStep& at) override {
    std::ranges::copy(gradients, gradients_.begin());
    std::size_t begin = 0;
    for (const OptimizedTensor& tensor : tensors_) {
      const auto count = static_cast<std::size_t>(tensor.count);
      if (tensor.rows > 0) {
        const std::span<float> of = std::span(gradients_).subspan(begin, count);
        const float decay = tensor.decays ? decay_ : 0;
        for (std::size_t i = 0; i < count; ++i) of[i] += decay * weights[begin + i];
        centralize(of, static_cast<std::size_t>(tensor.rows));
      }
      begin += count;
    }
    inner_->step(weights, gradients_, at);
  }

  std::vector<std::span<float>> state() override { return inner_->state(); }

 private:
  std::unique_ptr<Optimizer> inner_;
  float decay_;  // added here; 0 if the inner optimizer adds it
  OptimizedTensors tensors_;
  std::vector<float> gradients_;
};

}  // namespace

std::unique_ptr<Optimizer> centralized(Make* make, DecayPlace decay, const OptimizerOptions& options,
                                       OptimizedTensors tensors) {
  const bool adds_decay = decay == DecayPlace::gradient;
  OptimizedTensors inner = tensors;
  for (OptimizedTensor& tensor : inner) {
    if (adds_decay && tensor.rows > 0) tensor.decays = false;
  }
  return std::make_unique<Centralized>(make(options, std::move(inner)), adds_decay ? options.weight_decay : 0,
                                       std::move(tensors));
}

}  // namespace adarun::trainer::optimizers
