// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

namespace adarun::trainer {

torch::Tensor lenet5(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  torch::Tensor x = torch::relu(layers.convolution("conv1", images, {6, 5}));  // (batch, 6, 28, 28)
  x = torch::max_pool2d(x, 2);                                                 // (batch, 6, 14, 14)
  x = torch::relu(layers.convolution("conv2", x, {16, 5}));                    // (batch, 16, 10, 10)
  x = torch::max_pool2d(x, 2).flatten(1);                                      // (batch, 400)
  x = torch::relu(layers.dense("fc1", x, 120));
  x = torch::relu(layers.dense("fc2", x, 84));
  return layers.dense("fc3", x, classes);
}

}  // namespace adarun::trainer
