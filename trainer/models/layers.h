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

/// What a tensor is in its layer.
enum class TensorRole {
  weight,             ///< Of a convolution or dense layer.
  normalized_weight,  ///< Of a normalized dense layer.
  multiplier,         ///< Of a normalized dense layer: one number.
  bias,
  normalization,  ///< Scale or shift of a batch normalization.
  statistic,      ///< Follows the data; not trained.
};

/// One tensor of a model.
struct TensorShape {
  std::string name;
  std::vector<std::int64_t> shape;
  Initializer initial;
  TensorRole role = TensorRole::weight;

  /// Its elements.
  std::int64_t count() const {
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape) elements *= extent;
    return elements;
  }

  /// Weight decay applies to weights: not to biases, nor to the scales and shifts of a normalization.
  bool decays() const { return role != TensorRole::bias && role != TensorRole::normalization; }
};

/// The initializer of a layer's weights, from (fan_in, fan_out).
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

/// Whether a model can do without a normalization (LayerOptions::fewer_batch_norms).
enum class Removable { no, yes };

/// A batch normalization over batch, rows and columns.
struct BatchNorm {
  Removable removable = Removable::no;
  double epsilon = 1e-4;
  double momentum = 0.1;  ///< running = (1 - momentum) running + momentum * value of the batch.
};

/// Changes to the layers of a model: the boost dictionary's less_bn.
struct LayerOptions {
  bool fewer_batch_norms = false;  ///< Removable normalizations are the identity, without tensors.
  bool normalized_scores = false;  ///< scores() is a normalized dense layer.

  bool operator==(const LayerOptions&) const = default;
};

/// The layers of which models are built. A model is a function that calls them in order; the same function
/// both lists its tensors (an outline) and computes with them. Tensors have names, but are matched by the
/// order of the calls.
class Layers {
 public:
  /// An outline: each layer appends its tensors to the lists and returns zeroes of its result's shape.
  explicit Layers(const LayerOptions& options = {}) : options_(options) {}

  /// A computation with these tensors, in the order of the model's outline; all must outlive it. If
  /// `training`, batch normalization uses the mean and variance of the batch and updates the running ones in
  /// `buffers`.
  Layers(std::span<const torch::Tensor> parameters, std::span<const torch::Tensor> buffers, bool training,
         const LayerOptions& options = {})
      : options_(options),
        outline_(false),
        training_(training),
        given_parameters_(parameters),
        given_buffers_(buffers) {}

  /// Sets the initializer for the weights of the layers that are called from here on; the default is
  /// lecun_uniform().
  void set_initializer(InitializerOf initial) { initial_ = std::move(initial); }

  /// x (batch, in, rows, columns) to (batch, out, rows', columns').
  torch::Tensor convolution(const std::string& name, const torch::Tensor& x, const Convolution& of);

  /// x (batch, in) to (batch, out), with biases.
  torch::Tensor dense(const std::string& name, const torch::Tensor& x, std::int64_t out);

  /// The class scores, a model's last layer: dense(); or, normalized, with weights W (out, in), one trainable
  /// multiplier m, first 1, and no biases:
  ///   y = m <norm(x), norm(W of the class)>,  norm(v) = v / sqrt(max(sum of v^2, 1e-4))
  torch::Tensor scores(const std::string& name, const torch::Tensor& x, std::int64_t out);

  /// x (batch, channels, rows, columns), normalized, times a learned scale, plus a learned shift.
  torch::Tensor batch_norm(const std::string& name, const torch::Tensor& x, const BatchNorm& of = {});

  /// The next trainable tensor.
  torch::Tensor parameter(const std::string& name, const std::vector<std::int64_t>& shape,
                          const Initializer& initial, TensorRole role = TensorRole::weight);

  /// The result of an outline: trainable tensors, and tensors that only follow the data.
  const std::vector<TensorShape>& parameters() const { return parameters_; }
  const std::vector<TensorShape>& buffers() const { return buffers_; }

 private:
  torch::Tensor buffer(const std::string& name, std::int64_t count, double initial);

  LayerOptions options_;
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
