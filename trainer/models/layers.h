// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainer/models/initializer.h"

namespace adarun::trainer {

/// One tensor of a model.
struct TensorShape {
  std::string name;
  std::vector<std::int64_t> shape;
  Initializer initial;

  /// Weight decay is for weights: not for biases, nor for the scales and shifts of a normalization.
  bool decays() const { return shape.size() > 1; }
};

/// Where weights of a layer begin, from (fan_in, fan_out).
using InitializerOf = std::function<Initializer(std::int64_t fan_in, std::int64_t fan_out)>;

enum class Bias { no, yes };

/// A convolution with square kernels.
struct Convolution {
  std::int64_t out = 1;  ///< Channels of the result.
  std::int64_t side = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  Bias bias = Bias::yes;
};

/// A batch normalization, over batch, rows and columns.
struct BatchNorm {
  double epsilon = 1e-4;
  double momentum = 0.1;  ///< running = (1 - momentum) running + momentum of the batch.
};

/// The layers that models are written with. A model is a function that calls them one after the other; the
/// same function tells which tensors it has (an outline) and computes with them. Tensors are named, but taken
/// in the order of the calls.
class Layers {
 public:
  /// An outline: each layer adds its tensors to the lists, and gives zeroes of its result's shape.
  Layers() = default;

  /// A computation with these tensors, which a model's outline listed; all outlive it. Where `training`,
  /// batch normalization takes the batch's own mean and variance and moves the running ones in `buffers`.
  Layers(std::span<const torch::Tensor> parameters, std::span<const torch::Tensor> buffers, bool training)
      : outline_(false), training_(training), given_parameters_(parameters), given_buffers_(buffers) {}

  /// Where the weights of the layers called from here on begin: by default lecun_uniform().
  void set_initializer(InitializerOf initial) { initial_ = std::move(initial); }

  /// x (batch, in, rows, columns) to (batch, out, rows', columns').
  torch::Tensor convolution(const std::string& name, const torch::Tensor& x, const Convolution& of);

  /// x (batch, in) to (batch, out), with biases.
  torch::Tensor dense(const std::string& name, const torch::Tensor& x, std::int64_t out);

  /// x (batch, channels, rows, columns), normalized, times a learned scale, plus a learned shift.
  torch::Tensor batch_norm(const std::string& name, const torch::Tensor& x, const BatchNorm& of = {});

  /// The next tensor that is learned.
  torch::Tensor parameter(const std::string& name, const std::vector<std::int64_t>& shape,
                          const Initializer& initial);

  /// What an outline found: tensors that are learned, and those that only follow the data.
  const std::vector<TensorShape>& parameters() const { return parameters_; }
  const std::vector<TensorShape>& buffers() const { return buffers_; }

 private:
  torch::Tensor buffer(const std::string& name, std::int64_t count, double initial);

  bool outline_ = true;
  bool training_ = false;
  InitializerOf initial_ = [](std::int64_t fan_in, std::int64_t /*fan_out*/) {
    return lecun_uniform(fan_in);
  };
  std::span<const torch::Tensor> given_parameters_;
  std::span<const torch::Tensor> given_buffers_;
  std::vector<TensorShape> parameters_;
  std::vector<TensorShape> buffers_;
};

}  // namespace adarun::trainer
