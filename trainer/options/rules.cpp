// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/rules.h"

#include <string>

#include "ranktable/rules/rules.h"
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
  if (splits_layers(options)) return 1;
  const bool leaves_groups = world_size > default_device_number && world_size % default_device_number == 0;
  return leaves_groups ? default_device_number : 1;
}

void check_groups(int world_size, int group_size) {
  const std::string text = std::to_string(world_size) + " ranks in groups of " + std::to_string(group_size);
  if (world_size % group_size != 0) refuse(text + " (--device-number): do not come out even");
  if (world_size == group_size)
    refuse(text + " (--device-number): one group leaves AdaSum nothing to combine");
}

/// What buckets and diagnostics do not go with, and a gain without groups.
void check_parts(const TrainerOptions& options, int group_size) {
  const bool rows = options.adasum_per == AdasumPer::row;
  const bool gain = options.group_gain != adasum::GroupGain::none;
  if (gain && group_size == 1) {
    throw Error("--group-gain: there are no groups here: wanted --device-number N", Exit::usage);
  }
  if ((rows || gain) && options.bucket_mb > 0) {
    throw Error("--bucket-mb: not with --group-gain or --adasum-per row: wanted 0", Exit::usage);
  }
  if (rows && options.adasum_diagnostics > 0) {
    throw Error("--adasum-diagnostics: of tensors only: not with --adasum-per row", Exit::usage);
  }
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

/// dim_reduce has a step of its own, in which all ranks take part.
void check_dim_reduce(const TrainerOptions& options, Reduce reduce, int world_size) {
  if (world_size > 1 && reduce != Reduce::mean) refuse("boost: dim_reduce: wanted --reduce mean");
  if (options.shard_optimizer)
    refuse("boost: dim_reduce: not with --shard-optimizer: each rank has a part of the basis");
}

Reduce default_reduce(const TrainerOptions& options, bool alone) {
  if (alone) return Reduce::none;
  return options.boost.dim_reduce ? Reduce::mean : Reduce::adasum;
}

/// AdaSum of one rank, in a world that may be any, is that rank's own gradient.
bool combines_nothing(const TrainerOptions& options, int world_size) {
  return options.reduce == Reduce::adasum && options.adasum_world == AdasumWorld::any && world_size == 1 &&
         options.parallel_mode != ParallelMode::stand_alone;
}

}  // namespace

bool centralizes_gradients(const TrainerOptions& options) {
  const auto& less_bn = options.boost.less_bn;
  return less_bn && less_bn->centralize_gradients && options.optimizer.weight_decay > 0;
}

bool splits_layers(const TrainerOptions& options) {
  return !options.plan.empty() || options.parallel_mode == ParallelMode::auto_parallel;
}

Reduction choose_reduction(const TrainerOptions& options, int world_size) {
  const bool alone = world_size == 1 || options.parallel_mode == ParallelMode::stand_alone;
  const Reduce reduce = combines_nothing(options, world_size)
                            ? Reduce::none
                            : options.reduce.value_or(default_reduce(options, alone));
  if (options.boost.dim_reduce) check_dim_reduce(options, reduce, world_size);
  if (options.boost.grad_freeze && options.bucket_mb > 0) {
    throw Error("--bucket-mb: with grad_freeze steps combine different tensors: wanted 0", Exit::usage);
  }
  if (reduce != Reduce::adasum) {
    check_without_adasum(options, reduce);
    if (options.adasum_on == AdasumOn::delta) want_adasum("--adasum-on delta");
    if (options.adasum_diagnostics > 0) want_adasum("--adasum-diagnostics");
    if (options.bucket_mb > 0) want_adasum("--bucket-mb");
    if (options.group_gain != adasum::GroupGain::none) want_adasum("--group-gain");
    if (options.adasum_per != AdasumPer::tensor) want_adasum("--adasum-per row");
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
      refuse(*refusal + " To train with " + std::to_string(world_size) +
             (world_size == 1 ? " rank" : " ranks") + " all the same, add --adasum-world any.");
  }
  const int group_size = choose_group_size(options, world_size);
  check_groups(world_size, group_size);
  check_parts(options, group_size);
  return {reduce, group_size, options.group_gain, options.adasum_per};
}

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

namespace {

void refuse_if(bool wrong, const std::string& option, const std::string& why) {
  if (wrong) throw Error(option + ": not with --elastic (--min-ranks): " + why, Exit::usage);
}

}  // namespace

void check_elastic(const TrainerOptions& options) {
  const std::string lost = "what a rank alone has is lost when it ends";
  refuse_if(options.communicator == CommunicatorKind::mpi, "--communicator mpi",
            "MPI ends with the first rank");
  refuse_if(options.adasum_on == AdasumOn::delta, "--adasum-on delta", lost);
  refuse_if(options.shard_optimizer, "--shard-optimizer", lost);
  refuse_if(options.local_steps > 1, "--local-steps", lost);
  refuse_if(options.reduce == Reduce::none, "--reduce none", lost);
  refuse_if(options.parallel_mode == ParallelMode::stand_alone, "--parallel-mode stand_alone", lost);
  refuse_if(splits_layers(options), options.plan.empty() ? "--parallel-mode auto_parallel" : "--plan", lost);
  refuse_if(options.boost.dim_reduce.has_value(), "boost: dim_reduce",
            "ranks wait for others within its steps");
}

Reduction reduction_of_fewer(const TrainerOptions& options, const Reduction& of_all, int ranks) {
  if (of_all.reduce != Reduce::adasum) return of_all;
  const int group_size = options.device_number.value_or(default_device_number);
  if (ranks > group_size && ranks % group_size == 0 && group_size > 1)
    return {of_all.reduce, group_size, of_all.group_gain, of_all.per};
  return {of_all.reduce, 1, adasum::GroupGain::none, of_all.per};
}

std::string note_on_fewer(const Reduction& of_all, const Reduction& of_fewer, int ranks) {
  if (of_all.group_size == of_fewer.group_size || of_fewer.group_size > 1) return "";
  const bool gain = of_all.group_gain != of_fewer.group_gain;
  const bool one_group = ranks % of_all.group_size == 0;
  return std::to_string(ranks) + " ranks in groups of " + std::to_string(of_all.group_size) +
         (one_group ? ": one group leaves AdaSum nothing to combine" : ": do not come out even") +
         ": from here on without groups" + (gain ? " and --group-gain" : "");
}

}  // namespace adarun::trainer
