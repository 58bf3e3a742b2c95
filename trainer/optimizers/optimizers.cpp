// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/named.h"
#include "trainer/optimizers/kinds.h"

namespace adarun::trainer {
namespace {

struct Entry {
  const char* name;
  optimizers::Make* make;
};

const Entry table[] = {
    {"momentum", optimizers::momentum}, {"sgd", optimizers::sgd},   {"adam", optimizers::adam},
    {"lamb", optimizers::lamb},         {"lars", optimizers::lars},
};

}  // namespace

std::vector<std::string> optimizer_names() {
  return names_in(table);
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, OptimizedTensors tensors) {
  return entry_named(table, "optimizer", options.name).make(options, std::move(tensors));
}

}  // namespace adarun::trainer
