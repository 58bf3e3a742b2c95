// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

namespace adarun::trainer {

torch::Tensor mlp(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  Activation x = layers.flatten(images);  // (batch, 784)
  x = layers.relu(layers.dense("fc1", x, 512));
  x = layers.relu(layers.dense("fc2", x, 512));
  return layers.scores("fc3", x, classes);
}

}  // namespace adarun::trainer
