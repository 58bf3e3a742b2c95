// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/models/layers.h"

namespace adarun::trainer {

/// The shape of a model's inputs and outputs.
struct ModelShape {
  int channels = 1;  ///< Of an image.
  int side = 28;     ///< Images are side x side pixels.
  int classes = 10;

  bool operator==(const ModelShape&) const = default;
};

/// Class scores (batch, classes), before the softmax, of `images` (batch, channels, side, side), float,
/// normalized.
using Forward = torch::Tensor (*)(Layers& layers, const torch::Tensor& images, std::int64_t classes);

/// A model: a function, and its list of tensors. It has no state.
struct Model {
  std::string name;
  ModelShape shape;
  Forward forward = nullptr;
  LayerOptions layers = {};
  std::vector<TensorShape> parameters;  ///< The trainable tensors, in the order of its layers.
  std::vector<TensorShape> buffers;     ///< Statistics of the data: running means and variances.
  planner::ModelGraph graph = {};       ///< Its layers, without times.
};

/// Makes a model of `forward`.
Model make_model(const std::string& name, Forward forward, const ModelShape& shape,
                 const LayerOptions& layers = {});

/// 784-512-512-10 with ReLU: 669,706 values on 28x28 grey images.
torch::Tensor mlp(Layers& layers, const torch::Tensor& images, std::int64_t classes);

/// The same with 4096 in place of 512: 20,037,642 values.
torch::Tensor wide_mlp(Layers& layers, const torch::Tensor& images, std::int64_t classes);

/// LeNet-5 with ReLU and max pooling: conv 6@5x5, pool, conv 16@5x5, pool, 400-120-84-10, on 32x32 grey
/// images: 61,706 values.
torch::Tensor lenet5(Layers& layers, const torch::Tensor& images, std::int64_t classes);

/// VGG-16, Simonyan and Zisserman, "Very Deep Convolutional Networks for Large-Scale Image Recognition",
/// 2014, its network D, without dropout: 138,357,544 values for 1000 classes and 224x224 images, of which the
/// first dense layer has 102,764,544.
torch::Tensor vgg16(Layers& layers, const torch::Tensor& images, std::int64_t classes);

/// Residual networks, He et al., "Deep Residual Learning for Image Recognition", 2015. 18 and 50 are for
/// 224x224 images; 50 has the stride on its 3x3 kernels (v1.5): 161 tensors, 25,559,081 values for 1001
/// classes. In each block all normalizations are removable but the one after its last convolution.
torch::Tensor resnet18(Layers& layers, const torch::Tensor& images, std::int64_t classes);
torch::Tensor resnet50(Layers& layers, const torch::Tensor& images, std::int64_t classes);

/// The paper's small network for 32x32 images; where the shape changes, the shortcut is a convolution:
/// 272,474 values.
torch::Tensor resnet20(Layers& layers, const torch::Tensor& images, std::int64_t classes);

}  // namespace adarun::trainer
