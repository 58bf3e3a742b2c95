// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/planner/model/graph.h"
#include "trainer/planner/model/strategy.h"
#include "trainer/planner/plan/report.h"

namespace adarun::planner {

/// A plan as a JSON file, schema "adarun-plan-1": {"schema", "model", "ranks", "batch", "seconds",
/// "memory_bytes", "bound_by", "data_parallel": {"seconds", "memory_bytes"}, "layers": [{"name", "replicas",
/// "parts", "split", "seconds", "compute_s", "update_s", "outputs", "inputs", "gradients", "redistribution",
/// "state_bytes", "kept_bytes", "workspace_bytes"}]}. "split" is none, outputs or inputs; the four of
/// communication are
/// {"seconds", "bytes", "messages"} of the rank that sends most.
std::string write_plan(const PlanReport& report);

/// What a training needs of it.
struct StoredPlan {
  struct OfLayer {
    std::string name;
    Strategy strategy;

    bool operator==(const OfLayer&) const = default;
  };

  std::string model;
  std::int64_t ranks = 1;
  std::int64_t batch = 1;
  std::vector<OfLayer> layers;

  bool operator==(const StoredPlan&) const = default;
};

/// Reads a plan; `name` is that of the file. Of a layer it wants name, replicas, parts and split: a plan may
/// be written by hand. Throws Error.
StoredPlan read_plan(const std::string& text, const std::string& name);

/// The strategies of a plan for this model on so many ranks. Throws Error, with `name` in front, if it is for
/// another model or world, or cannot work.
std::vector<Strategy> strategies_for(const StoredPlan& plan, const std::string& name, const ModelGraph& graph,
                                     std::int64_t ranks);

}  // namespace adarun::planner
