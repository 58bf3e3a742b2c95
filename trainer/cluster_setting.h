// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/options/options.h"
#include "trainer/planner/costs/costs.h"

namespace adarun::trainer {

/// What `ranks` ranks do in a step, for the planner; its links are without costs.
planner::ClusterSetting cluster_setting(const TrainerOptions& options, int ranks);

}  // namespace adarun::trainer
