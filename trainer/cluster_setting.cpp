// SPDX-License-Identifier: Apache-2.0
#include "trainer/cluster_setting.h"

#include <cstdint>
#include <string>

namespace adarun::trainer {
namespace {

/// The numbers that an optimizer keeps of each weight.
std::int64_t optimizer_slots(const std::string& name) {
  if (name == "sgd") return 0;
  return name == "adam" || name == "lamb" ? 2 : 1;
}

}  // namespace

planner::ClusterSetting cluster_setting(const TrainerOptions& options, int ranks) {
  return {.ranks = ranks,
          .batch = options.batch_size,
          .passes = options.micro_batches,
          .optimizer_slots = optimizer_slots(options.optimizer.name),
          .links = {{"all", ranks, 0, 0, 1}},
          .reduce = options.reduce == Reduce::mean ? planner::GradientReduce::mean
                                                   : planner::GradientReduce::adasum};
}

}  // namespace adarun::trainer
