// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/layers.h"

#include <cassert>

#include "trainer/models/max_pool.h"

namespace adarun::trainer {
namespace {

/// Removes the first of `given` and returns it.
torch::Tensor take(std::span<const torch::Tensor>& given) {
  assert(!given.empty());
  const torch::Tensor first = given.front();
  given = given.subspan(1);
  return first;
}

// Dilation has no effect on 1x1 kernels, but dilated convolutions always use oneDNN. Others, with fewer than
// 16 images and one thread, use the reference BLAS of Debian's libtorch, which took 17 times as long.
torch::Tensor convolve(const torch::Tensor& x, const torch::Tensor& kernels, const torch::Tensor& bias,
                       std::int64_t stride, std::int64_t padding) {
  const std::int64_t dilation = x.is_cpu() && kernels.size(2) == 1 ? 2 : 1;
  return torch::conv2d(x, kernels, bias, stride, padding, dilation);
}

/// A dense layer without biases. Computed as a convolution with 1x1 kernels, because matrix products use the
/// reference BLAS too.
torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias = {}) {
  const std::int64_t in = weight.size(1);
  return convolve(x.view({-1, in, 1, 1}), weight.view({-1, in, 1, 1}), bias, 1, 0).flatten(1);
}

/// Each row divided by its length, or by 0.01 if it is shorter.
torch::Tensor normalized_rows(const torch::Tensor& rows) {
  return rows / rows.square().sum(1, true).clamp_min(1e-4).sqrt();
}

/// `biases`, one for each channel, in the shape that is added to `values`.
torch::Tensor beside(const torch::Tensor& values, const torch::Tensor& biases) {
  return values.dim() == 4 ? biases.view({1, -1, 1, 1}) : biases;
}

bool is_kernel(TensorRole role) {
  return role == TensorRole::weight || role == TensorRole::normalized_weight;
}

}  // namespace

torch::Tensor Layers::parameter(const std::string& name, const std::vector<std::int64_t>& shape,
                                const Initializer& initial, TensorRole role) {
  if (!outline_) return take(given_parameters_);
  parameters_.push_back({name, shape, initial, role, owner_});
  if (owner_ != Activation::images) {
    planner::Layer& layer = graph_.layers[owner_];
    (is_kernel(role) ? layer.weights : layer.vectors) += parameters_.back().count();
  }
  return torch::zeros({1}).expand(shape);
}

torch::Tensor Layers::buffer(const std::string& name, std::int64_t count, double initial) {
  if (!outline_) return take(given_buffers_);
  buffers_.push_back({name, {count}, constant(initial), TensorRole::statistic, owner_});
  return torch::zeros({count});
}

std::size_t Layers::begin_layer(const std::string& name, planner::LayerKind kind, const Activation& x) {
  const std::size_t number = layers_++;
  if (!outline_) return number;
  graph_.layers.push_back({name, kind});
  if (x.layer != Activation::images) {
    graph_.layers.back().inputs.push_back(x.layer);
  } else {
    graph_.image_channels = x.channels;
    graph_.image_values = x.values.numel() / x.channels;
  }
  owner_ = number;
  return number;
}

torch::Tensor Layers::taken(std::size_t layer, const Activation& x) {
  return boundary_ == nullptr ? x.values : boundary_->input(layer, x);
}

/// compute(what the layer takes, its biases); where outputs are summed over ranks, biases are added to the
/// sum.
template <typename Compute>
torch::Tensor Layers::applied(std::size_t layer, const Activation& x, const torch::Tensor& bias,
                              const Compute& compute) {
  const torch::Tensor given = taken(layer, x);
  if (boundary_ == nullptr || !boundary_->sums(layer)) return compute(given, bias);
  const torch::Tensor sum = boundary_->sum(compute(given, torch::Tensor()), layer);
  return bias.defined() ? sum + beside(sum, bias) : sum;
}

Activation Layers::end_layer(std::size_t layer, const torch::Tensor& values, std::int64_t channels) {
  owner_ = Activation::images;
  if (outline_) {
    planner::Layer& of = graph_.layers[layer];
    of.out_channels = channels;
    of.out_values = of.result_values = values.numel() / channels;
    const auto places = static_cast<double>(of.out_values);
    of.operations = of.kind == planner::LayerKind::sum ? static_cast<double>(channels) * places
                                                       : 2 * static_cast<double>(of.weights) * places;
  }
  return {values, layer, channels};
}

/// What follows a layer: `kept` of its values are kept for the backward pass.
Activation Layers::followed(const Activation& x, const torch::Tensor& values, std::int64_t kept) {
  if (outline_ && x.layer != Activation::images) {
    planner::Layer& layer = graph_.layers[x.layer];
    layer.result_values = values.numel() / layer.out_channels;
    layer.kept_values += kept / layer.out_channels;
  }
  return {values, x.layer, x.channels};
}

Activation Layers::convolution(const std::string& name, const Activation& x, const Convolution& of) {
  const std::size_t layer = begin_layer(name, planner::LayerKind::convolution, x);
  const std::int64_t in = x.values.size(1);
  const Initializer initial = initial_(in * of.side * of.side, of.out * of.side * of.side);
  const torch::Tensor kernels = parameter(name + ".weight", {of.out, in, of.side, of.side}, initial);
  torch::Tensor bias;
  if (of.bias == Bias::yes) bias = parameter(name + ".bias", {of.out}, constant(0), TensorRole::bias);
  if (outline_) {
    const auto places = [&](std::int64_t size) { return (size + 2 * of.padding - of.side) / of.stride + 1; };
    const auto& images = x.values;
    return end_layer(layer,
                     torch::zeros({images.size(0), of.out, places(images.size(2)), places(images.size(3))}),
                     of.out);
  }
  return end_layer(layer,
                   applied(layer, x, bias,
                           [&](const torch::Tensor& taken, const torch::Tensor& biases) {
                             return convolve(taken, kernels, biases, of.stride, of.padding);
                           }),
                   of.out);
}

Activation Layers::dense(const std::string& name, const Activation& x, std::int64_t out) {
  const std::size_t layer = begin_layer(name, planner::LayerKind::dense, x);
  const std::int64_t in = x.values.size(1);
  const torch::Tensor weight = parameter(name + ".weight", {out, in}, initial_(in, out));
  const torch::Tensor bias = parameter(name + ".bias", {out}, constant(0), TensorRole::bias);
  if (outline_) return end_layer(layer, torch::zeros({x.values.size(0), out}), out);
  return end_layer(layer,
                   applied(layer, x, bias,
                           [&](const torch::Tensor& taken, const torch::Tensor& biases) {
                             return product(taken, weight, biases);
                           }),
                   out);
}

torch::Tensor Layers::scores(const std::string& name, const Activation& x, std::int64_t out) {
  if (!options_.normalized_scores) return dense(name, x, out).values;
  const std::size_t layer = begin_layer(name, planner::LayerKind::dense, x);
  const std::int64_t in = x.values.size(1);
  const torch::Tensor weight =
      parameter(name + ".weight", {out, in}, initial_(in, out), TensorRole::normalized_weight);
  const torch::Tensor multiplier = parameter(name + ".multiplier", {1}, constant(1), TensorRole::multiplier);
  if (outline_) return end_layer(layer, torch::zeros({x.values.size(0), out}), out).values;
  const torch::Tensor given = taken(layer, x);
  // Squares of 2,048 values lose too much in bfloat16.
  const torch::Tensor wide = given.scalar_type() == torch::kBFloat16 ? given.to(torch::kFloat) : given;
  return multiplier * product(normalized_rows(wide), normalized_rows(weight));
}

Activation Layers::sum(const std::string& name, const Activation& x, const Activation& y) {
  const std::size_t layer = begin_layer(name, planner::LayerKind::sum, x);
  if (outline_) graph_.layers[layer].inputs.push_back(y.layer);
  return end_layer(layer, taken(layer, x) + taken(layer, y), x.channels);
}

Activation Layers::batch_norm(const std::string& name, const Activation& x, Removable removable) {
  constexpr double epsilon = 1e-4;
  constexpr double momentum = 0.1;
  if (options_.fewer_batch_norms && removable == Removable::yes) return x;
  const std::int64_t channels = x.values.size(1);
  owner_ = x.layer;
  const torch::Tensor scale = parameter(name + ".weight", {channels}, constant(1), TensorRole::normalization);
  const torch::Tensor shift = parameter(name + ".bias", {channels}, constant(0), TensorRole::normalization);
  const torch::Tensor mean = buffer(name + ".running_mean", channels, 0);
  const torch::Tensor variance = buffer(name + ".running_var", channels, 1);
  owner_ = Activation::images;
  if (outline_) return followed(x, x.values, x.values.numel());
  return followed(
      x, torch::batch_norm(x.values, scale, shift, mean, variance, training_, momentum, epsilon, false));
}

// A ReLU keeps its result, which the next layer keeps too.
Activation Layers::relu(const Activation& x) {
  return followed(x, torch::relu(x.values));
}

// A place of the largest value is a byte here, and eight bytes in torch, which also keeps what it is given.
Activation Layers::max_pool_2x2(const Activation& x) {
  const torch::Tensor largest = trainer::max_pool_2x2(x.values);
  return followed(x, largest, largest.numel() / 4);
}

Activation Layers::max_pool_3x3(const Activation& x) {
  const torch::Tensor largest = torch::max_pool2d(x.values, 3, 2, 1);
  return followed(x, largest, x.values.numel() + 2 * largest.numel());
}

Activation Layers::flatten(const Activation& x) {
  return followed(x, x.values.flatten(1));
}

Activation Layers::mean_of_pixels(const Activation& x) {
  return followed(x, x.values.mean({2, 3}));
}

}  // namespace adarun::trainer
