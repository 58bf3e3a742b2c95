// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainer/models/initializer.h"
#include "trainer/planner/model/graph.h"

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
  std::size_t layer = Activation::images;  ///< The number of its layer in the model's graph; images: of none.

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

/// Changes to the layers of a model: the boost dictionary's less_bn.
struct LayerOptions {
  bool fewer_batch_norms = false;  ///< Removable normalizations are the identity, without tensors.
  bool normalized_scores = false;  ///< scores() is a normalized dense layer.

  bool operator==(const LayerOptions&) const = default;
};

/// The layers of which models are built. A model is a function that calls them in order; the same function
/// both lists its tensors and layers (an outline) and computes with them. Tensors have names, but are matched
/// by the order of the calls.
class Layers {
 public:
  /// An outline: each layer appends its tensors to the lists and returns zeroes of its result's shape.
  explicit Layers(const LayerOptions& options = {}) : options_(options) {}

  /// A computation with these tensors, in the order of the model's outline; all must outlive it. If
  /// `training`, batch normalization uses the mean and variance of the batch and updates the running ones in
  /// `buffers`. A `boundary` sees and changes what each layer takes; it must outlive the computation.
  Layers(std::span<const torch::Tensor> parameters, std::span<const torch::Tensor> buffers, bool training,
         const LayerOptions& options = {}, LayerBoundary* boundary = nullptr)
      : options_(options),
        boundary_(boundary),
        outline_(false),
        training_(training),
        given_parameters_(parameters),
        given_buffers_(buffers) {}

  /// Sets the initializer for the weights of the layers that are called from here on; the default is
  /// lecun_uniform().
  void set_initializer(InitializerOf initial) { initial_ = std::move(initial); }

  /// x (batch, in, rows, columns) to (batch, out, rows', columns').
  Activation convolution(const std::string& name, const Activation& x, const Convolution& of);

  /// x (batch, in) to (batch, out), with biases.
  Activation dense(const std::string& name, const Activation& x, std::int64_t out);

  /// The class scores, a model's last layer: dense(); or, normalized, with weights W (out, in), one trainable
  /// multiplier m, first 1, and no biases:
  ///   y = m <norm(x), norm(W of the class)>,  norm(v) = v / sqrt(max(sum of v^2, 1e-4))
  torch::Tensor scores(const std::string& name, const Activation& x, std::int64_t out);

  /// x + y, of equal shapes, both computed by layers.
  Activation sum(const std::string& name, const Activation& x, const Activation& y);

  /// x (batch, channels, rows, columns), normalized over batch, rows and columns, times a learned scale, plus
  /// a learned shift. With the epsilon 1e-4; running = 0.9 running + 0.1 * value of the batch.
  Activation batch_norm(const std::string& name, const Activation& x, Removable removable = Removable::no);

  /// The positive part of x, else 0.
  Activation relu(const Activation& x);

  /// The largest value of each 2x2 window (max_pool.h), and of each 3x3 window around every second row and
  /// column.
  Activation max_pool_2x2(const Activation& x);
  Activation max_pool_3x3(const Activation& x);

  /// x (batch, channels, rows, columns) to (batch, channels * rows * columns), and to its mean over rows and
  /// columns, (batch, channels).
  Activation flatten(const Activation& x);
  Activation mean_of_pixels(const Activation& x);

  /// The next trainable tensor.
  torch::Tensor parameter(const std::string& name, const std::vector<std::int64_t>& shape,
                          const Initializer& initial, TensorRole role = TensorRole::weight);

  /// The result of an outline: trainable tensors, tensors that only follow the data, and its layers, of a
  /// model without a name.
  const std::vector<TensorShape>& parameters() const { return parameters_; }
  const std::vector<TensorShape>& buffers() const { return buffers_; }
  const planner::ModelGraph& graph() const { return graph_; }

 private:
  torch::Tensor buffer(const std::string& name, std::int64_t count, double initial);
  std::size_t begin_layer(const std::string& name, planner::LayerKind kind, const Activation& x);
  torch::Tensor taken(std::size_t layer, const Activation& x);
  template <typename Compute>
  torch::Tensor applied(std::size_t layer, const Activation& x, const torch::Tensor& bias,
                        const Compute& compute);
  Activation end_layer(std::size_t layer, const torch::Tensor& values, std::int64_t channels);
  Activation followed(const Activation& x, const torch::Tensor& values, std::int64_t kept = 0);

  LayerOptions options_;
  LayerBoundary* boundary_ = nullptr;
  bool outline_ = true;
  bool training_ = false;
  InitializerOf initial_ = [](std::int64_t fan_in, std::int64_t /*fan_out*/) {
    return lecun_uniform(fan_in);
  };
  std::span<const torch::Tensor> given_parameters_;
  std::span<const torch::Tensor> given_buffers_;
  std::vector<TensorShape> parameters_;
  std::vector<TensorShape> buffers_;
  planner::ModelGraph graph_;
  std::size_t layers_ = 0;                  // begun so far
  std::size_t owner_ = Activation::images;  // the layer of the next tensors
};

}  // namespace adarun::trainer
