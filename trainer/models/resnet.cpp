// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include "trainer/models/model.h"

namespace adarun::trainer {
namespace {

/// A convolution that keeps the size except for its stride, followed by batch normalization.
Activation normalized(Layers& layers, const std::string& name, const Activation& x, const Convolution& of,
                      Removable removable) {
  const Activation y =
      layers.convolution(name + ".conv", x, {of.out, of.side, of.stride, of.side / 2, Bias::no});
  return layers.batch_norm(name + ".bn", y, {removable});
}

Activation add_shortcut(Layers& layers, const std::string& name, const Activation& x, const Activation& y,
                        std::int64_t stride) {
  const bool same = stride == 1 && x.channels == y.channels;
  const Activation shortcut =
      same ? x : normalized(layers, name + ".shortcut", x, {y.channels, 1, stride}, Removable::yes);
  return layers.relu(layers.sum(name + ".sum", y, shortcut));
}

using Block = Activation (*)(Layers&, const std::string& name, const Activation& x, std::int64_t width,
                             std::int64_t stride);

Activation basic(Layers& layers, const std::string& name, const Activation& x, std::int64_t width,
                 std::int64_t stride) {
  Activation y = layers.relu(normalized(layers, name + ".1", x, {width, 3, stride}, Removable::yes));
  y = normalized(layers, name + ".2", y, {width, 3, 1}, Removable::no);
  return add_shortcut(layers, name, x, y, stride);
}

Activation bottleneck(Layers& layers, const std::string& name, const Activation& x, std::int64_t width,
                      std::int64_t stride) {
  Activation y = layers.relu(normalized(layers, name + ".1", x, {width, 1, 1}, Removable::yes));
  y = layers.relu(normalized(layers, name + ".2", y, {width, 3, stride}, Removable::yes));
  y = normalized(layers, name + ".3", y, {4 * width, 1, 1}, Removable::no);
  return add_shortcut(layers, name, x, y, stride);
}

/// Stages of `blocks` blocks each; each stage except the first halves rows and columns and doubles the width.
Activation stages(Layers& layers, Activation x, Block block, std::int64_t width,
                  std::initializer_list<int> blocks) {
  int stage = 1;
  for (const int count : blocks) {
    for (int i = 1; i <= count; ++i) {
      const std::string name = "stage" + std::to_string(stage) + "." + std::to_string(i);
      x = block(layers, name, x, width, stage > 1 && i == 1 ? 2 : 1);
    }
    width *= 2;
    ++stage;
  }
  return x;
}

/// On a CPU, images with the channels of a pixel beside each other: oneDNN's convolutions then take and give
/// tensors as they are, and other layers keep the order.
torch::Tensor channels_last(const torch::Tensor& images) {
  return images.is_cpu() ? images.contiguous(at::MemoryFormat::ChannelsLast) : images;
}

/// The mean over rows and columns, then the class scores.
torch::Tensor scores(Layers& layers, const Activation& x, std::int64_t classes) {
  layers.set_initializer([](std::int64_t, std::int64_t) { return truncated_normal(0.01); });
  return layers.scores("fc", layers.mean_of_pixels(x), classes);
}

torch::Tensor for_large_images(Layers& layers, const torch::Tensor& images, std::int64_t classes, Block block,
                               std::initializer_list<int> blocks) {
  layers.set_initializer(xavier_uniform);
  Activation x = layers.relu(normalized(layers, "stem", channels_last(images), {64, 7, 2}, Removable::no));
  x = layers.max_pool_3x3(x);
  return scores(layers, stages(layers, x, block, 64, blocks), classes);
}

}  // namespace

torch::Tensor resnet18(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  return for_large_images(layers, images, classes, basic, {2, 2, 2, 2});
}

torch::Tensor resnet50(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  return for_large_images(layers, images, classes, bottleneck, {3, 4, 6, 3});
}

torch::Tensor resnet20(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  layers.set_initializer([](std::int64_t fan_in, std::int64_t) { return kaiming_normal(fan_in); });
  const Activation x =
      layers.relu(normalized(layers, "stem", channels_last(images), {16, 3, 1}, Removable::no));
  return scores(layers, stages(layers, x, basic, 16, {3, 3, 3}), classes);
}

}  // namespace adarun::trainer
