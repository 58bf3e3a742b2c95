// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost_lines.h"

#include <algorithm>

#include "trainer/boost_of_model.h"

namespace adarun::trainer {
namespace {

/// `1 tensor`, `2 tensors`.
std::string counted(std::size_t number, const std::string& thing) {
  return std::to_string(number) + " " + thing + (number == 1 ? "" : "s");
}

std::string less_bn_line(const Model& model, const TrainerOptions& options) {
  const auto norms = static_cast<std::size_t>(
      std::ranges::count(model.parameters, TensorRole::normalization, &TensorShape::role) / 2);
  std::string line = "boost: less_bn: " + counted(norms, "batch normalization") + " left";
  if (options.boost.less_bn->normalize_scores) line += "; normalized scores";
  if (!options.boost.less_bn->centralize_gradients) return line;
  const OptimizedTensors tensors = optimized_tensors(model, options);
  const auto centralized = static_cast<std::size_t>(
      std::ranges::count_if(tensors, [](const OptimizedTensor& tensor) { return tensor.rows > 0; }));
  if (!centralizes_gradients(options))
    return line + "; no gradient is centralized (gc_flag) without --weight-decay";
  return line + "; gradients of " + counted(centralized, "tensor") + " centralized";
}

std::string grad_freeze_line(const Model& model, const GradFreezeOptions& options,
                             const Reduction& reduction) {
  const FreezeGroups groups = freeze_groups_of(model, options);
  const std::string begin = "boost: grad_freeze: ";
  if (options.groups == 1) return begin + "nothing is ever frozen: param_groups is 1";
  if (!groups.freeze()) {
    return begin + "nothing is ever frozen: the model has " + counted(groups.chunks, "chunk") +
           " of layers, fewer than param_groups " + std::to_string(options.groups);
  }
  const std::size_t tensors = model.parameters.size();
  return begin + "steps train " + std::to_string(tensors) + " to " +
         counted(tensors - groups.first_tensor.back(), "tensor") + ", in " +
         counted(groups.first_tensor.size(), "group") +
         (reduction.reduce == Reduce::adasum ? "; AdaSum combines those that a step trains" : "");
}

}  // namespace

std::vector<std::string> boost_lines(const Model& model, const TrainerOptions& options,
                                     const Reduction& reduction) {
  const BoostOptions& boost = options.boost;
  std::vector<std::string> lines = boost.notes;
  if (boost.less_bn) lines.push_back(less_bn_line(model, options));
  if (boost.grad_freeze) lines.push_back(grad_freeze_line(model, *boost.grad_freeze, reduction));
  if (boost.dim_reduce) {
    lines.push_back("boost: dim_reduce: steps in " +
                    counted(static_cast<std::size_t>(boost.dim_reduce->components), "dimension") +
                    "; --optimizer, its learning rate and decay are not used");
  }
  return lines;
}

}  // namespace adarun::trainer
