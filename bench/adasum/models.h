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

/// About LeNet-5: 61,684 elements in 10 tensors. The convolutions have no biases; the largest matrix is split
/// in three.
inline Model lenet5() {
  return {"LeNet-5", {150, 2400, 16000, 16000, 16000, 120, 10080, 84, 840, 10}};
}

/// ResNet-50 for 1001 classes: 25,559,081 elements in 161 tensors.
inline Model resnet50() {
  Model model{"ResNet-50", {}};
  const auto convolution = [&](std::int64_t kernel, std::int64_t in, std::int64_t out) {
    model.counts.insert(model.counts.end(), {kernel * kernel * in * out, out, out});  // and two of batch norm
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

/// `elements` elements in tensors of equal size; the last one also has the remainder.
inline Model vectors(const std::string& name, std::int64_t elements, std::int64_t tensors) {
  Model model{name, std::vector<std::int64_t>(static_cast<std::size_t>(tensors), elements / tensors)};
  model.counts.back() += elements % tensors;
  return model;
}

/// The default measurements: two networks, a small vector and a medium one.
inline std::vector<Model> usual_models() {
  return {vectors("4 KB", 1'000, 1), lenet5(), vectors("4 MB", 1'000'000, 1), resnet50()};
}

/// Sizes from 4 KB to 400 MB, each in 1, 10 and 161 tensors.
inline std::vector<Model> grid_of_models() {
  std::vector<Model> models;
  for (const std::int64_t elements : {1'000, 16'000, 250'000, 4'000'000, 25'000'000, 100'000'000}) {
    const std::string name = elements < 250'000 ? std::to_string(elements / 250) + " KB"
                                                : std::to_string(elements / 250'000) + " MB";
    for (const std::int64_t tensors : {1, 10, 161}) models.push_back(vectors(name, elements, tensors));
  }
  return models;
}

}  // namespace adarun::bench
