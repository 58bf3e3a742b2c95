// SPDX-License-Identifier: Apache-2.0
#include "trainer/optimizers/optimizer.h"

#include <algorithm>
#include <vector>

#include "trainer/base/named.h"
#include "trainer/optimizers/kinds.h"

namespace adarun::trainer {
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
        gradients_(optimizers::elements(tensors_)) {}

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

/// An optimizer that centralizes the rows of gradients (OptimizedTensor::rows), then steps as one of `make`.
/// Decay that belongs to the gradient is added before.
std::unique_ptr<Optimizer> centralized(optimizers::Make* make, optimizers::DecayPlace decay,
                                       const OptimizerOptions& options, OptimizedTensors tensors) {
  const bool adds_decay = decay == optimizers::DecayPlace::gradient;
  OptimizedTensors inner = tensors;
  for (OptimizedTensor& tensor : inner) {
    if (adds_decay && tensor.rows > 0) tensor.decays = false;
  }
  return std::make_unique<Centralized>(make(options, std::move(inner)), adds_decay ? options.weight_decay : 0,
                                       std::move(tensors));
}

struct Entry {
  const char* name;
  optimizers::Make* make;
  optimizers::DecayPlace decay;
};

constexpr auto in_gradient = optimizers::DecayPlace::gradient;
constexpr auto inside = optimizers::DecayPlace::inside;

const Entry table[] = {
    {"momentum", optimizers::momentum, in_gradient},  //
    {"sgd", optimizers::sgd, in_gradient},            //
    {"adam", optimizers::adam, in_gradient},          //
    {"lamb", optimizers::lamb, inside},               //
    {"lars", optimizers::lars, inside},
};

}  // namespace

std::vector<std::string> optimizer_names() {
  return names_in(table);
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, OptimizedTensors tensors) {
  const Entry& entry = entry_named(table, "optimizer", options.name);
  if (std::ranges::any_of(tensors, [](const OptimizedTensor& tensor) { return tensor.rows > 0; })) {
    return centralized(entry.make, entry.decay, options, std::move(tensors));
  }
  return entry.make(options, std::move(tensors));
}

}  // namespace adarun::trainer
