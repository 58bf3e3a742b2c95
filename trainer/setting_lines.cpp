// SPDX-License-Identifier: Apache-2.0
#include "trainer/setting_lines.h"

#include <cstdio>

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

}  // namespace adarun::trainer
