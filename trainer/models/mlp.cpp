// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

namespace adarun::trainer {

namespace {

torch::Tensor of_width(Layers& layers, const torch::Tensor& images, std::int64_t classes,
                       std::int64_t width) {
  Activation x = layers.flatten(images);  // (batch, 784)
  x = layers.relu(layers.dense("fc1", x, width));
  x = layers.relu(layers.dense("fc2", x, width));
  return layers.scores("fc3", x, classes);
}

}  // namespace

torch::Tensor mlp(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  return of_width(layers, images, classes, 512);
}

torch::Tensor wide_mlp(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  return of_width(layers, images, classes, 4096);
}

}  // namespace adarun::trainer
