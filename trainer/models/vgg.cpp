// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "trainer/models/model.h"

namespace adarun::trainer {
namespace {

/// `count` convolutions of one width that keep the size, each with a ReLU, and 2x2 pooling. As in LeNet-5,
/// pooling goes before the last ReLU: the same values and gradients, and a quarter of it to be kept.
Activation stage(Layers& layers, Activation x, int number, int count, std::int64_t width) {
  const std::string names = "conv" + std::to_string(number) + ".";
  for (int i = 1; i < count; ++i)
    x = layers.relu(layers.convolution(names + std::to_string(i), x, {width, 3, 1, 1}));
  x = layers.convolution(names + std::to_string(count), x, {width, 3, 1, 1});
  return layers.relu(layers.max_pool_2x2(x));
}

}  // namespace

torch::Tensor vgg16(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  layers.set_initializer([](std::int64_t fan_in, std::int64_t) { return kaiming_normal(fan_in); });
  Activation x = stage(layers, images, 1, 2, 64);
  x = stage(layers, x, 2, 2, 128);
  x = stage(layers, x, 3, 3, 256);
  x = stage(layers, x, 4, 3, 512);
  x = layers.flatten(stage(layers, x, 5, 3, 512));  // (batch, 25088)
  x = layers.relu(layers.dense("fc1", x, 4096));
  x = layers.relu(layers.dense("fc2", x, 4096));
  return layers.scores("fc3", x, classes);
}

}  // namespace adarun::trainer
