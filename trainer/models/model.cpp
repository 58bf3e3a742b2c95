// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

#include "trainer/error.h"

namespace adarun::trainer {

Model model_named(const std::string& name) {
  if (name == "mlp") return mlp();
  if (name == "lenet5") return lenet5();
  throw Error("model \"" + name + "\": not one of lenet5, mlp", Exit::usage);
}

// As a convolution with 1x1 kernels: those go to oneDNN, while Debian's libtorch leaves products of matrices
// to the reference BLAS, which took four times as long for the mlp.
torch::Tensor dense(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const torch::Tensor pixels = x.view({x.size(0), x.size(1), 1, 1});
  const torch::Tensor kernels = weight.view({weight.size(0), weight.size(1), 1, 1});
  return torch::conv2d(pixels, kernels, bias).flatten(1);
}

std::vector<ParameterShape> dense_parameters(const std::string& name, std::int64_t in, std::int64_t out) {
  return {{name + ".weight", {out, in}, in}, {name + ".bias", {out}, in}};
}

std::vector<ParameterShape> convolution_parameters(const std::string& name, std::int64_t in, std::int64_t out,
                                                   std::int64_t kernel) {
  const std::int64_t fan_in = in * kernel * kernel;
  return {{name + ".weight", {out, in, kernel, kernel}, fan_in}, {name + ".bias", {out}, fan_in}};
}

}  // namespace adarun::trainer
