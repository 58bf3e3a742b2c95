// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/elastic_rules.h"

#include <string>

#include "trainer/base/error.h"

namespace adarun::trainer {
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
