// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

namespace adarun::trainer {

// ReLU comes after pooling: the same values and gradients for a quarter of the work.
torch::Tensor lenet5(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  Activation x = layers.convolution("conv1", images, {6, 5});  // (batch, 6, 28, 28)
  x = layers.relu(layers.max_pool_2x2(x));                     // (batch, 6, 14, 14)
  x = layers.convolution("conv2", x, {16, 5});                 // (batch, 16, 10, 10)
  x = layers.flatten(layers.relu(layers.max_pool_2x2(x)));     // (batch, 400)
  x = layers.relu(layers.dense("fc1", x, 120));
  x = layers.relu(layers.dense("fc2", x, 84));
  return layers.scores("fc3", x, classes);
}

}  // namespace adarun::trainer
