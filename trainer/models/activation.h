// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace adarun::trainer {

/// The values that layers give and take.
struct Activation {
  static constexpr std::size_t images = ~std::size_t{0};

  /// The images of a batch.
  Activation(const torch::Tensor& of)
      : values(of), channels(of.size(1)) {}  // NOLINT(google-explicit-constructor)
  Activation(torch::Tensor of, std::size_t number, std::int64_t of_layer)
      : values(std::move(of)), layer(number), channels(of_layer) {}

  torch::Tensor values;        ///< (batch, channels, rows, columns) or (batch, features).
  std::size_t layer = images;  ///< The number of the layer in the model's graph that computed them.
  std::int64_t channels = 1;   ///< Of that layer; a rank may have a part of them.
};

/// What comes between the layers of a computation. Layers have the numbers of the model's graph.
class LayerBoundary {
 public:
  virtual ~LayerBoundary() = default;

  /// What layer `layer` takes, made of the result of an earlier layer or of the images.
  virtual torch::Tensor input(std::size_t layer, const Activation& x) = 0;

  /// Whether the output of layer `layer` is a sum over ranks; its biases are then added afterwards.
  virtual bool sums(std::size_t layer) const = 0;
  virtual torch::Tensor sum(const torch::Tensor& output, std::size_t layer) = 0;
};

}  // namespace adarun::trainer
