// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

namespace adarun::trainer {
namespace {

torch::Tensor forward(std::span<const torch::Tensor> p, const torch::Tensor& images) {
  torch::Tensor x = images.flatten(1);    // (batch, 784)
  x = torch::relu(dense(x, p[0], p[1]));  // (batch, 512)
  x = torch::relu(dense(x, p[2], p[3]));  // (batch, 512)
  return dense(x, p[4], p[5]);            // (batch, 10)
}

}  // namespace

Model mlp() {
  Model model{"mlp", 28, {}, forward};
  for (const auto& layer : {dense_parameters("fc1", 784, 512), dense_parameters("fc2", 512, 512),
                            dense_parameters("fc3", 512, 10)}) {
    model.parameters.insert(model.parameters.end(), layer.begin(), layer.end());
  }
  return model;
}

}  // namespace adarun::trainer
