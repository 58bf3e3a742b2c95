// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "trainer/base/error.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {
namespace {

/// By the reduction: data parallel ranks that were not told how to reduce combine nothing only if there is
/// one.
bool is_one_rank(const TrainerOptions& options, const Reduction& reduction) {
  return reduction.reduce == Reduce::none && !options.reduce;
}

/// Why a training by a plan cannot have these options; empty if it can.
std::string reason_against(const TrainerOptions& options, const Reduction& reduction) {
  const bool combines = reduction.reduce == Reduce::adasum || reduction.reduce == Reduce::mean;
  if (options.parallel_mode == ParallelMode::stand_alone) return "not with --parallel-mode stand_alone";
  if (is_one_rank(options, reduction)) return "there is one rank: wanted several";
  if (!combines) return "not with --reduce sum or none: wanted adasum or mean";
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
  const bool makes_one = options.parallel_mode == ParallelMode::auto_parallel;
  if (makes_one && !options.plan.empty())
    throw Error("--plan: not with --parallel-mode auto_parallel, which makes one: wanted hybrid_parallel",
                Exit::usage);
  if (!makes_one && !options.link_costs.empty())
    throw Error("--costs: only with --parallel-mode auto_parallel", Exit::usage);
  if (options.parallel_mode == ParallelMode::hybrid_parallel && options.plan.empty())
    throw Error("--parallel-mode hybrid_parallel: wanted --plan FILE (adarun plan -o FILE makes one)",
                Exit::usage);
  if (!splits_layers(options) || (makes_one && is_one_rank(options, reduction))) return;
  if (const std::string reason = reason_against(options, reduction); !reason.empty())
    throw Error((makes_one ? "--parallel-mode auto_parallel: " : "--plan: ") + reason, Exit::usage);
}

}  // namespace adarun::trainer
