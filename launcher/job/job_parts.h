// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/job/elasticity.h"
#include "launcher/job/hang_watch.h"
#include "launcher/job/node_status.h"
#include "launcher/job/observer.h"
#include "launcher/job/rank_restarts.h"
#include "launcher/job/ranks.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"

namespace adarun::launcher {

/// What a Job owns or borrows, and its collaborators share.
struct JobParts {
  const Plan& plan;
  Nodes& nodes;
  Ranks& ranks;
  NodeStatus& node_status;
  Elasticity& elasticity;
  RankRestarts& restarts;
  HangWatch& hang_watch;
  JobObserver& observer;
};

}  // namespace adarun::launcher
