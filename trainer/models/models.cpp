// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/models.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "trainer/base/error.h"
#include "trainer/base/named.h"
#include "trainer/models/model.h"

namespace adarun::trainer {
namespace {

/// A convolution that keeps the size except for its stride, followed by batch normalization.
Activation normalized(Layers& layers, const std::string& name, const Activation& x, const Convolution& of,
                      Removable removable) {
  const Activation y =
      layers.convolution(name + ".conv", x, {of.out, of.side, of.stride, of.side / 2, Bias::no});
  return layers.batch_norm(name + ".bn", y, removable);
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

namespace {

struct Entry {
  const char* name;
  Forward forward;
  int side;
};

const Entry table[] = {
    {"lenet5", lenet5, 32},       //
    {"mlp", mlp, 28},             //
    {"resnet18", resnet18, 224},  //
    {"resnet20", resnet20, 32},   //
    {"resnet50", resnet50, 224},  //
    {"vgg16", vgg16, 224},        //
    {"wide_mlp", wide_mlp, 28},
};

}  // namespace

Model make_model(const std::string& name, Forward forward, const ModelShape& shape,
                 const LayerOptions& layers) {
  Layers outline(layers);
  forward(outline, torch::zeros({1, shape.channels, shape.side, shape.side}), shape.classes);
  planner::ModelGraph graph = outline.graph();
  graph.model = name;
  return {name, shape, forward, layers, outline.parameters(), outline.buffers(), std::move(graph)};
}

std::vector<std::string> model_names() {
  return names_in(table);
}

int default_side(const std::string& name) {
  return entry_named(table, "model", name).side;
}

Model model_named(const std::string& name, const ModelShape& shape) {
  return model_named(name, shape, {});
}

Model model_named(const std::string& name, const ModelShape& shape, const LayerOptions& layers) {
  const Entry& entry = entry_named(table, "model", name);
  try {
    return make_model(name, entry.forward, shape, layers);
  } catch (const c10::Error&) {
    throw Error("model " + name + ": cannot take images of " + std::to_string(shape.side) + "x" +
                    std::to_string(shape.side) + " pixels (--image-size; usual is " +
                    std::to_string(entry.side) + ")",
                Exit::refused);
  }
}

}  // namespace adarun::trainer
