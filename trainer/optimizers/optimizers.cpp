// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trainer/base/named.h"
#include "trainer/optimizers/kinds.h"

namespace adarun::trainer {
namespace {

struct Entry {
  const char* name;
  optimizers::Make* make;
  optimizers::DecayPlace decay;
};

constexpr auto in_gradient = optimizers::DecayPlace::gradient;
constexpr auto inside = optimizers::DecayPlace::inside;

const Entry table[] = {
    {"momentum", optimizers::momentum, in_gradient},  //
    {"sgd", optimizers::sgd, in_gradient},            //
    {"adam", optimizers::adam, in_gradient},          //
    {"lamb", optimizers::lamb, inside},               //
    {"lars", optimizers::lars, inside},
};

}  // namespace

std::vector<std::string> optimizer_names() {
  return names_in(table);
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, OptimizedTensors tensors) {
  const Entry& entry = entry_named(table, "optimizer", options.name);
  if (std::ranges::any_of(tensors, [](const OptimizedTensor& tensor) { return tensor.rows > 0; })) {
    return optimizers::centralized(entry.make, entry.decay, options, std::move(tensors));
  }
  return entry.make(options, std::move(tensors));
}

}  // namespace adarun::trainer
