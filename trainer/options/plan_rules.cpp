// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "trainer/base/error.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {
namespace {

/// Why a training by a plan cannot have these options; empty if it can.
std::string reason_against(const TrainerOptions& options, const Reduction& reduction) {
  const bool combines = reduction.reduce == Reduce::adasum || reduction.reduce == Reduce::mean;
  if (!combines) return "not with --reduce sum or none: wanted adasum or mean";
  if (options.parallel_mode == ParallelMode::stand_alone) return "not with --parallel-mode stand_alone";
  if (reduction.group_size > 1)
    return "not with --device-number " + std::to_string(reduction.group_size) + ": wanted flat";
  if (reduction.per == AdasumPer::row) return "not with --adasum-per row";
  if (options.adasum_on == AdasumOn::delta) return "not with --adasum-on delta";
  if (options.adasum_diagnostics > 0) return "not with --adasum-diagnostics";
  if (options.bucket_mb > 0) return "not with --bucket-mb: wanted 0";
  if (options.shard_optimizer) return "not with --shard-optimizer";
  if (options.optimizer.name == "lars" || options.optimizer.name == "lamb")
    return "not with --optimizer " + options.optimizer.name + ", which needs the length of whole tensors";
  if (options.precision != Precision::float32) return "not with --precision bfloat16";
  if (options.device != DeviceChoice::cpu) return "wanted --device cpu";
  if (options.boost.less_bn || options.boost.grad_freeze || options.boost.dim_reduce)
    return "not with boost's less_bn, grad_freeze or dim_reduce";
  return "";
}

}  // namespace

void check_plan(const TrainerOptions& options, const Reduction& reduction) {
  if (options.plan.empty()) return;
  if (const std::string reason = reason_against(options, reduction); !reason.empty())
    throw Error("--plan: " + reason, Exit::usage);
}

}  // namespace adarun::trainer
