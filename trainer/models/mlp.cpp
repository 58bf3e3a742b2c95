// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

namespace adarun::trainer {

torch::Tensor mlp(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  torch::Tensor x = images.flatten(1);  // (batch, 784)
  x = torch::relu(layers.dense("fc1", x, 512));
  x = torch::relu(layers.dense("fc2", x, 512));
  return layers.scores("fc3", x, classes);
}

}  // namespace adarun::trainer
