// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/weights.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "trainer/data/random.h"

namespace adarun::trainer {

Weights::Weights(const Model& model, std::uint64_t seed) {
  for (const ParameterShape& parameter : model.parameters) {
    counts_.push_back(std::accumulate(parameter.shape.begin(), parameter.shape.end(), std::int64_t{1},
                                      std::multiplies<>()));
  }
  const std::int64_t total = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
  values_ = torch::empty({total});
  gradients_ = torch::zeros({total});
  Random random(seed);
  std::int64_t offset = 0;
  for (std::size_t t = 0; t < counts_.size(); ++t) {
    const ParameterShape& parameter = model.parameters[t];
    const double bound = parameter.is_bias() ? 0 : std::sqrt(3.0 / static_cast<double>(parameter.fan_in));
    for (float& value :
         values().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(counts_[t]))) {
      value = static_cast<float>(random.uniform(-bound, bound));
    }
    // detach() gives a leaf on the same memory; its gradient, once there, is added to in place.
    torch::Tensor tensor = values_.narrow(0, offset, counts_[t]).view(parameter.shape).detach();
    tensor.set_requires_grad(true);
    tensor.mutable_grad() = gradients_.narrow(0, offset, counts_[t]).view(parameter.shape);
    tensors_.push_back(tensor);
    offset += counts_[t];
  }
}

std::uint64_t checksum(std::span<const float> values) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const std::byte byte : std::as_bytes(values)) {
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3U;
  }
  return hash;
}

}  // namespace adarun::trainer
