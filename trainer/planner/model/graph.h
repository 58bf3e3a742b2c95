// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace adarun::planner {

/// Thrown when a model, costs or a plan cannot be read or used. The message names the thing, what was found
/// and what was wanted.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No plan keeps within the limit of memory.
class Infeasible : public Error {
 public:
  using Error::Error;
};

enum class LayerKind {
  convolution,
  dense,
  sum,  ///< Adds its inputs, value by value: the end of a residual block.
};

/// What of a layer is split over the ranks of a replica.
enum class LayerSplit {
  none,     ///< Nothing: each of them computes all of it.
  outputs,  ///< Output channels: each takes all inputs, and gives its range of the outputs.
  inputs,   ///< Input channels: each takes its range of the inputs; their outputs are summed.
};

/// Time of one sample in a layer, with what follows it.
struct LayerTime {
  double forward_s = 0;
  double backward_s = 0;

  double seconds() const { return forward_s + backward_s; }
  bool operator==(const LayerTime&) const = default;
};

/// The same in the largest of `parts` parts of the layer, whose ranks take `parts` times as many samples.
struct PartTime {
  LayerSplit split = LayerSplit::none;
  std::int64_t parts = 1;
  LayerTime time;

  bool operator==(const PartTime&) const = default;
};

/// Time of one weight in a step, as measured.
struct WeightTime {
  double update_s = 0;   ///< Of its gradient, checked and set to zero, and of the optimizer's step.
  double combine_s = 0;  ///< Of AdaSum of two gradients: dot products and combination.

  bool operator==(const WeightTime&) const = default;
};

/// A layer as a planner sees it, with the operations that follow it and work on each channel by itself
/// (normalization, activation, pooling). Sizes are numbers of values of one sample.
struct Layer {
  std::string name;  ///< Unique in its graph.
  LayerKind kind = LayerKind::dense;
  std::vector<std::size_t> inputs = {};  ///< Numbers of earlier layers; none: the images.
  std::int64_t out_channels = 1;         ///< Features, of a dense layer.
  std::int64_t out_values = 1;           ///< Of a channel of its output.
  std::int64_t result_values = 1;        ///< Of a channel of what follows it: what other layers take.
  std::int64_t kept_values = 0;          ///< Kept for the backward pass, besides its input: of a channel.
  std::int64_t weights = 0;              ///< Elements of its kernels or weight.
  std::int64_t vectors = 0;              ///< Elements of biases and normalizations: a few for each channel.
  double operations = 0;                 ///< Multiplications and additions of a forward pass.
  std::optional<LayerTime> time = std::nullopt;  ///< As measured.
  std::vector<PartTime> part_times = {};         ///< Likewise, where it is split.

  bool operator==(const Layer&) const = default;
};

/// The layers of a model in the order of its forward pass; the last one gives the class scores.
struct ModelGraph {
  std::string model;
  std::int64_t image_channels = 1;
  std::int64_t image_values = 1;  ///< Pixels of an image.
  std::vector<Layer> layers;
  std::optional<WeightTime> weight_time = std::nullopt;

  bool operator==(const ModelGraph&) const = default;

  /// The channels, and values of a channel, of what layer `l` takes; its inputs are alike.
  std::int64_t in_channels(std::size_t l) const {
    const auto& inputs = layers[l].inputs;
    return inputs.empty() ? image_channels : layers[inputs.front()].out_channels;
  }
  std::int64_t in_values(std::size_t l) const {
    const auto& inputs = layers[l].inputs;
    return inputs.empty() ? image_values : layers[inputs.front()].result_values;
  }
};

}  // namespace adarun::planner
