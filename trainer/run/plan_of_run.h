// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/base/log_lines.h"
#include "trainer/models/model.h"
#include "trainer/options/options.h"
#include "trainer/planner/costs/costs.h"
#include "trainer/planner/model/strategy.h"
#include "trainer/run/memory_limit.h"

namespace adarun::trainer {

/// What `ranks` ranks do in a step, for the planner; its links are without costs.
planner::ClusterSetting cluster_setting(const TrainerOptions& options, int ranks);

/// How the layers of `model` are split over the ranks, the same on each of them: by the user's plan, or by
/// one that is made here, for the nodes that the ranks are on, measured or typical links, and the least
/// memory that is left to a rank (ParallelMode::auto_parallel). `limit`: what is left to this one. Empty if
/// each rank has the whole model. Rank 0 prints a line about it. Collective. Throws Error (refused), the same
/// on every rank, also if the files of the user's plan differ.
std::vector<planner::Strategy> plan_of_run(const TrainerOptions& options, const Model& model,
                                           const std::optional<MemoryLimit>& limit,
                                           adasum::Communicator& communicator, const Print& print);

}  // namespace adarun::trainer
