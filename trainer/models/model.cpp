// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

#include "trainer/error.h"

namespace adarun::trainer {

Model model_named(const std::string& name) {
  if (name == "mlp") return mlp();
  if (name == "lenet5") return lenet5();
  throw Error("model \"" + name + "\": not one of lenet5, mlp", Exit::usage);
}

std::vector<ParameterShape> dense(const std::string& name, std::int64_t in, std::int64_t out) {
  return {{name + ".weight", {out, in}, in}, {name + ".bias", {out}, in}};
}

std::vector<ParameterShape> convolution(const std::string& name, std::int64_t in, std::int64_t out,
                                        std::int64_t kernel) {
  const std::int64_t fan_in = in * kernel * kernel;
  return {{name + ".weight", {out, in, kernel, kernel}, fan_in}, {name + ".bias", {out}, fan_in}};
}

}  // namespace adarun::trainer
