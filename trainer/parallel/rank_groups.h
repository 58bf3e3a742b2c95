// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/planner/model/graph.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {

/// The communicators of a plan, for one rank.
class RankGroups {
 public:
  /// Collective over `world`, which must outlive it.
  RankGroups(adasum::Communicator& world, const planner::ModelGraph& graph,
             const std::vector<planner::Strategy>& strategies);

  adasum::Communicator& world() { return world_; }
  std::int64_t rank() const { return world_.rank(); }

  /// The ranks of this one's replica where layers have `parts` parts, in order of parts; or those between
  /// which a change from one number of parts to another moves values (`parts` is then their least common
  /// multiple).
  adasum::Communicator& adjacent(std::int64_t parts) { return *adjacent_.at(parts); }

  /// The ranks that hold the same parts as this one where layers have `parts` parts, in order of replicas.
  adasum::Communicator& replicas(std::int64_t parts) { return parts == 1 ? world_ : *replicas_.at(parts); }

 private:
  using Communicators = std::map<std::int64_t, std::unique_ptr<adasum::Communicator>>;

  adasum::Communicator& world_;
  Communicators adjacent_;
  Communicators replicas_;
};

}  // namespace adarun::trainer
