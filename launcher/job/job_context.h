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

/// Phase of a job. Its transitions, in Job:
///
///     connecting -> running   every node has sent Hello and has its files: start_if_all_ready()
///     connecting -> ended     a node failed, and the others have answered or a short wait is over; or a
///                             signal arrived: fail(), end_if_all_gone(), on_time()
///     running    -> stopping  the first failure: fail(); or nothing is left to wait for: stop_if_over()
///     running    -> ended     every node has sent Done or Ended: end_if_all_gone()
///     stopping   -> ended     every node has sent Done or Ended, or is lost, or the deadline has passed:
///                             end_if_all_gone(), on_time()
///
/// In time order: a later phase compares greater.
enum class JobPhase { connecting, running, stopping, ended };

/// What a Job owns or borrows, and its collaborators share.
struct JobContext {
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
