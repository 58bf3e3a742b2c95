// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <string>

#include "trainer/models/model.h"

namespace adarun::trainer {
namespace {

/// Convolutions of these widths that keep the size, each with a ReLU, then 2x2 pooling.
Activation stage(Layers& layers, Activation x, int number, std::initializer_list<std::int64_t> widths) {
  int convolution = 0;
  for (const std::int64_t width : widths) {
    const std::string name = "conv" + std::to_string(number) + "." + std::to_string(++convolution);
    x = layers.relu(layers.convolution(name, x, {width, 3, 1, 1}));
  }
  return layers.max_pool_2x2(x);
}

}  // namespace

torch::Tensor vgg16(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  layers.set_initializer([](std::int64_t fan_in, std::int64_t) { return kaiming_normal(fan_in); });
  Activation x = stage(layers, images, 1, {64, 64});
  x = stage(layers, x, 2, {128, 128});
  x = stage(layers, x, 3, {256, 256, 256});
  x = stage(layers, x, 4, {512, 512, 512});
  x = layers.flatten(stage(layers, x, 5, {512, 512, 512}));  // (batch, 25088)
  x = layers.relu(layers.dense("fc1", x, 4096));
  x = layers.relu(layers.dense("fc2", x, 4096));
  return layers.scores("fc3", x, classes);
}

}  // namespace adarun::trainer
