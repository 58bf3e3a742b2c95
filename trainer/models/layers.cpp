// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/layers.h"

#include <cassert>

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

}  // namespace

torch::Tensor Layers::parameter(const std::string& name, const std::vector<std::int64_t>& shape,
                                const Initializer& initial, TensorRole role) {
  if (!outline_) return take(given_parameters_);
  parameters_.push_back({name, shape, initial, role});
  return torch::zeros({1}).expand(shape);
}

torch::Tensor Layers::buffer(const std::string& name, std::int64_t count, double initial) {
  if (!outline_) return take(given_buffers_);
  buffers_.push_back({name, {count}, constant(initial), TensorRole::statistic});
  return torch::zeros({count});
}

torch::Tensor Layers::convolution(const std::string& name, const torch::Tensor& x, const Convolution& of) {
  const std::int64_t in = x.size(1);
  const Initializer initial = initial_(in * of.side * of.side, of.out * of.side * of.side);
  const torch::Tensor kernels = parameter(name + ".weight", {of.out, in, of.side, of.side}, initial);
  torch::Tensor bias;
  if (of.bias == Bias::yes) bias = parameter(name + ".bias", {of.out}, constant(0), TensorRole::bias);
  if (!outline_) return convolve(x, kernels, bias, of.stride, of.padding);
  const auto places = [&](std::int64_t size) { return (size + 2 * of.padding - of.side) / of.stride + 1; };
  return torch::zeros({x.size(0), of.out, places(x.size(2)), places(x.size(3))});
}

torch::Tensor Layers::dense(const std::string& name, const torch::Tensor& x, std::int64_t out) {
  const std::int64_t in = x.size(1);
  const torch::Tensor weight = parameter(name + ".weight", {out, in}, initial_(in, out));
  const torch::Tensor bias = parameter(name + ".bias", {out}, constant(0), TensorRole::bias);
  if (outline_) return torch::zeros({x.size(0), out});
  return product(x, weight, bias);
}

torch::Tensor Layers::scores(const std::string& name, const torch::Tensor& x, std::int64_t out) {
  if (!options_.normalized_scores) return dense(name, x, out);
  const std::int64_t in = x.size(1);
  const torch::Tensor weight =
      parameter(name + ".weight", {out, in}, initial_(in, out), TensorRole::normalized_weight);
  const torch::Tensor multiplier = parameter(name + ".multiplier", {1}, constant(1), TensorRole::multiplier);
  if (outline_) return torch::zeros({x.size(0), out});
  // Squares of 2,048 values lose too much in bfloat16.
  const torch::Tensor wide = x.scalar_type() == torch::kBFloat16 ? x.to(torch::kFloat) : x;
  return multiplier * product(normalized_rows(wide), normalized_rows(weight));
}

torch::Tensor Layers::batch_norm(const std::string& name, const torch::Tensor& x, const BatchNorm& of) {
  if (options_.fewer_batch_norms && of.removable == Removable::yes) return x;
  const std::int64_t channels = x.size(1);
  const torch::Tensor scale = parameter(name + ".weight", {channels}, constant(1), TensorRole::normalization);
  const torch::Tensor shift = parameter(name + ".bias", {channels}, constant(0), TensorRole::normalization);
  const torch::Tensor mean = buffer(name + ".running_mean", channels, 0);
  const torch::Tensor variance = buffer(name + ".running_var", channels, 1);
  if (outline_) return x;
  return torch::batch_norm(x, scale, shift, mean, variance, training_, of.momentum, of.epsilon, false);
}

}  // namespace adarun::trainer
