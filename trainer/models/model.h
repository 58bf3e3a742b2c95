// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::trainer {

/// One tensor that is learned.
struct ParameterShape {
  std::string name;
  std::vector<std::int64_t> shape;  ///< (out, in), (out, in, rows, columns), or (out) for a bias.
  std::int64_t fan_in = 1;          ///< Inputs of one output.

  bool is_bias() const { return shape.size() == 1; }
};

/// A model: the shapes of what it learns, and a function of that and of images. It holds no state.
struct Model {
  std::string_view name;
  int side = 28;  ///< Images are (batch, 1, side, side), float, normalized.
  std::vector<ParameterShape> parameters;

  /// Class scores (batch, 10), before the softmax. `parameters` are tensors of the shapes above, in order.
  torch::Tensor (*forward)(std::span<const torch::Tensor> parameters, const torch::Tensor& images) = nullptr;
};

/// 784-512-512-10 with ReLU: 669,706 values.
Model mlp();

/// LeNet-5 with ReLU and max pooling: conv 6@5x5, pool, conv 16@5x5, pool, 400-120-84-10, on 32x32
/// images: 61,706 values.
Model lenet5();

/// The model called `name`: mlp or lenet5. Throws Error (usage) where there is none.
Model model_named(const std::string& name);

/// x (batch, in) times weight (out, in), plus bias (out): (batch, out). The same as torch::linear.
torch::Tensor dense(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

/// The parameters of a layer: weight, then bias.
std::vector<ParameterShape> dense_parameters(const std::string& name, std::int64_t in, std::int64_t out);
std::vector<ParameterShape> convolution_parameters(const std::string& name, std::int64_t in, std::int64_t out,
                                                   std::int64_t kernel);

}  // namespace adarun::trainer
