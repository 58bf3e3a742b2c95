// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost_of_model.h"

#include <string>

#include "trainer/options/rules.h"

namespace adarun::trainer {
namespace {

bool can_be_centralized(const TensorShape& tensor) {
  return tensor.role == TensorRole::weight && tensor.shape.size() >= 2 && tensor.shape[1] % 16 == 0;
}

bool continues_chunk(const TensorShape& tensor) {
  if (tensor.role == TensorRole::bias) return true;
  // The reference goes by names, which say "bn" in normalizations of the main path only.
  return tensor.role == TensorRole::normalization && tensor.name.find(".shortcut.") == std::string::npos;
}

}  // namespace

LayerOptions layer_options(const BoostOptions& boost) {
  return {boost.less_bn.has_value(), boost.less_bn && boost.less_bn->normalize_scores};
}

OptimizedTensors optimized_tensors(const Model& model, const TrainerOptions& options) {
  const bool centralizes = centralizes_gradients(options);
  OptimizedTensors tensors;
  for (const TensorShape& tensor : model.parameters) {
    tensors.push_back(
        {tensor.count(), tensor.decays(), centralizes && can_be_centralized(tensor) ? tensor.shape[0] : 0});
  }
  return tensors;
}

FreezeGroups freeze_groups_of(const Model& model, const GradFreezeOptions& options) {
  std::vector<bool> continues;
  for (const TensorShape& tensor : model.parameters) continues.push_back(continues_chunk(tensor));
  return freeze_groups(continues, options.groups);
}

}  // namespace adarun::trainer
