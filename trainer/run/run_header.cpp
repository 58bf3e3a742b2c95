// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/run_header.h"

#include <algorithm>
#include <cstdio>

#include "base/clean_text.h"
#include "trainer/run/make_learner.h"

namespace adarun::trainer {
namespace {

std::string reduction_text(const TrainerOptions& options, const Reduction& reduction) {
  switch (reduction.reduce) {
    case Reduce::adasum:
      return std::string("adasum of ") +
             (options.adasum_on == AdasumOn::delta ? "weight deltas" : "gradients") +
             (reduction.group_size == 1 ? ", flat" : ", groups of " + std::to_string(reduction.group_size)) +
             (reduction.group_gain == adasum::GroupGain::spread ? " with a gain by their spread" : "") +
             (reduction.per == AdasumPer::row ? ", row by row" : "");
    case Reduce::mean:
      return std::string("mean of gradients") + (options.shard_optimizer ? ", optimizer sharded" : "");
    case Reduce::sum:
      return "sum of gradients";
    case Reduce::none:
      break;
  }
  return "gradients not combined";
}

std::string learning_text(const TrainerOptions& options) {
  if (options.boost.dim_reduce)
    return "dim_reduce: batch " + std::to_string(options.batch_size) + " per rank";
  const OptimizerOptions& optimizer = options.optimizer;
  const bool momentum = optimizer.name == "momentum" || optimizer.name == "lars";
  char text[200];
  const std::string name = optimizer.name + (momentum && optimizer.nesterov ? " (Nesterov)" : "");
  std::snprintf(text, sizeof text, "%s: lr %g, momentum %g, batch %d per rank%s", name.c_str(),
                double{optimizer.learning_rate}, momentum ? double{optimizer.momentum} : 0.0,
                options.batch_size, options.precision == Precision::bfloat16 ? ", layers in bfloat16" : "");
  return text;
}

}  // namespace

void print_setting(const TrainerOptions& options, const Reduction& reduction,
                   const adasum::Communicator& communicator, const Print& print) {
  print("rank " + std::to_string(communicator.rank()) + " of " + std::to_string(communicator.size()) + ": " +
        options.model + " on " + options.dataset + ", " + reduction_text(options, reduction));
  print(learning_text(options));
  print("seed: " + std::to_string(options.seed));
}

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

void print_notes(std::initializer_list<const Dataset*> parts, const adasum::Communicator& communicator,
                 const Print& print) {
  if (communicator.rank() != 0) return;
  std::string last;  // Both parts may be from one folder.
  for (const Dataset* part : parts) {
    const std::string note = part != nullptr ? base::clean_line(part->note()) : "";
    if (!note.empty() && note != last) print(note);
    last = note;
  }
}

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
