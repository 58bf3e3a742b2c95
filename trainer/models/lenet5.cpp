// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

namespace adarun::trainer {
namespace {

torch::Tensor forward(std::span<const torch::Tensor> p, const torch::Tensor& images) {
  torch::Tensor x = torch::relu(torch::conv2d(images, p[0], p[1]));  // (batch, 6, 28, 28)
  x = torch::max_pool2d(x, 2);                                       // (batch, 6, 14, 14)
  x = torch::relu(torch::conv2d(x, p[2], p[3]));                     // (batch, 16, 10, 10)
  x = torch::max_pool2d(x, 2).flatten(1);                            // (batch, 400)
  x = torch::relu(dense(x, p[4], p[5]));                             // (batch, 120)
  x = torch::relu(dense(x, p[6], p[7]));                             // (batch, 84)
  return dense(x, p[8], p[9]);                                       // (batch, 10)
}

}  // namespace

Model lenet5() {
  Model model{"lenet5", 32, {}, forward};
  for (const auto& layer : {convolution_parameters("conv1", 1, 6, 5),
                            convolution_parameters("conv2", 6, 16, 5), dense_parameters("fc1", 400, 120),
                            dense_parameters("fc2", 120, 84), dense_parameters("fc3", 84, 10)}) {
    model.parameters.insert(model.parameters.end(), layer.begin(), layer.end());
  }
  return model;
}

}  // namespace adarun::trainer
