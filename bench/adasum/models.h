// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace adarun::bench {

/// Sizes of the gradients of a network, in elements, one per tensor.
struct Model {
  std::string name;
  std::vector<std::int64_t> counts;

  std::int64_t elements() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }
};

/// About LeNet-5: 61,684 elements in 10 tensors. No biases in the convolutions; the largest matrix in three
/// parts.
inline Model lenet5() {
  return {"LeNet-5", {150, 2400, 16000, 16000, 16000, 120, 10080, 84, 840, 10}};
}

/// ResNet-50 for 1001 classes: 25,559,081 elements in 161 tensors.
inline Model resnet50() {
  Model model{"ResNet-50", {}};
  const auto convolution = [&](std::int64_t kernel, std::int64_t in, std::int64_t out) {
    model.counts.insert(model.counts.end(), {kernel * kernel * in * out, out, out});  // and batch norm's two
  };
  convolution(7, 3, 64);
  std::int64_t in = 64;
  std::int64_t width = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int block = 0; block < blocks; ++block) {
      convolution(1, in, width);
      convolution(3, width, width);
      convolution(1, width, 4 * width);
      if (block == 0) convolution(1, in, 4 * width);
      in = 4 * width;
    }
    width *= 2;
  }
  model.counts.insert(model.counts.end(), {in * 1001, 1001});
  return model;
}

/// One tensor of that many elements.
inline Model vector_of(std::int64_t elements) { return {std::to_string(elements * 4 / 1000) + " KB", {elements}}; }

}  // namespace adarun::bench
