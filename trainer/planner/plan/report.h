// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trainer/planner/plan/plan.h"

namespace adarun::planner {

/// What takes most of a step; memory, if a plan without its limit would be faster.
enum class BoundBy { compute, links, memory };

/// A plan beside what it is compared with.
struct PlanReport {
  ParallelPlan plan;
  ParallelPlan data_parallel;
  ParallelPlan without_limit;  ///< Of memory.
  LinkLevels links;
  double most_bytes = no_limit;
};

/// Makes the plan and the others. Throws Error as make_plan() does.
PlanReport make_report(const ModelGraph& graph, const ClusterSetting& setting, Search search,
                       double most_bytes);

/// Of the plan with these strategies, one for each layer, in place of the fastest.
PlanReport report_on(const ModelGraph& graph, const ClusterSetting& setting,
                     const std::vector<Strategy>& chosen);

BoundBy bound_by(const PlanReport& report);

/// "the links of level cluster: 61 % of a step", ...
std::string describe_bound(const PlanReport& report);

/// A heading and a row for each layer and for all: name, strategy, milliseconds of a step (computing, sums
/// over the parts of layers, changes of layout, gradients over replicas, updates of weights), megabytes that
/// a rank sends and keeps. Only the last row has the workspace, of one layer at a time.
std::vector<std::vector<std::string>> rows(const ParallelPlan& plan);

}  // namespace adarun::planner
