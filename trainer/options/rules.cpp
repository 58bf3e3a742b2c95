// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/rules.h"

#include <string>

#include "ranktable/rules/adasum_rule.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(message, Exit::refused);
}

[[noreturn]] void want_adasum(const std::string& option) {
  throw Error(option + ": nothing is combined by AdaSum here: wanted several ranks and --reduce adasum",
              Exit::usage);
}

int choose_group_size(const TrainerOptions& options, int world_size) {
  if (options.device_number) return *options.device_number;
  const bool leaves_groups = world_size > default_device_number && world_size % default_device_number == 0;
  return leaves_groups ? default_device_number : 1;
}

void check_groups(int world_size, int group_size) {
  const std::string text = std::to_string(world_size) + " ranks in groups of " + std::to_string(group_size);
  if (world_size % group_size != 0) refuse(text + " (--device-number): do not come out even");
  if (world_size == group_size)
    refuse(text + " (--device-number): one group leaves AdaSum nothing to combine");
}

void check_without_adasum(const TrainerOptions& options, Reduce reduce) {
  if (options.pipeline_stages > 1) {
    refuse("--pipeline-stages " + std::to_string(options.pipeline_stages) +
           ": each rank has the whole model here");
  }
  if (options.parallel_mode == ParallelMode::stand_alone && reduce != Reduce::none) {
    refuse("--parallel-mode stand_alone: ranks that learn alone combine nothing: wanted --reduce none");
  }
  if (options.shard_optimizer && reduce != Reduce::mean) {
    refuse("--shard-optimizer: wanted --reduce mean, where all ranks do the work of one optimizer");
  }
}

}  // namespace

Reduction choose_reduction(const TrainerOptions& options, int world_size) {
  const bool alone = world_size == 1 || options.parallel_mode == ParallelMode::stand_alone;
  const Reduce reduce = options.reduce.value_or(alone ? Reduce::none : Reduce::adasum);
  if (reduce != Reduce::adasum) {
    check_without_adasum(options, reduce);
    if (options.adasum_on == AdasumOn::delta) want_adasum("--adasum-on delta");
    if (options.adasum_diagnostics > 0) want_adasum("--adasum-diagnostics");
    if (options.bucket_mb > 0) want_adasum("--bucket-mb");
    return {reduce, 1};
  }
  if (alone) refuse("Stand alone mode is not supported to apply adasum.");
  if (options.shard_optimizer) {
    refuse("Currently, the optimizer shard is not supported with applying adasum.");
  }
  if (options.adasum_on == AdasumOn::delta && options.bucket_mb > 0) {
    throw Error(
        "--bucket-mb: weights have changed when the optimizer has stepped: wanted --adasum-on gradient",
        Exit::usage);
  }
  if (options.pipeline_stages > 1) {
    refuse("Currently, the pipeline parallel is not supported with applying adasum.");
  }
  if (options.adasum_world == AdasumWorld::reference) {
    if (const auto refusal = ranktable::adasum_refusal(static_cast<std::size_t>(world_size)))
      refuse(*refusal);
  }
  const int group_size = choose_group_size(options, world_size);
  check_groups(world_size, group_size);
  return {reduce, group_size};
}

}  // namespace adarun::trainer
