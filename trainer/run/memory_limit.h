// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/models/model.h"
#include "trainer/options/options.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {

/// What may still be taken of memory.
struct MemoryLimit {
  double bytes_left = 0;
  std::string name;         ///< Of the limit: "ulimit -v".
  std::uint64_t group = 0;  ///< Inode of the control group; 0: the limit is of this process alone.

  bool operator==(const MemoryLimit&) const = default;
};

/// Those of this process: of its address space (RLIMIT_AS), and of the control groups that it is in.
std::vector<MemoryLimit> memory_limits();

/// Those of a control group (version 2), whose folder this is, and of those around it: memory.max less
/// memory.current, of which cached files can be dropped.
std::vector<MemoryLimit> limits_of_groups(const std::string& folder);

/// What is left to each rank of a node that begins now, nothing without a limit: the ranks in a control group
/// share what that has left. Ranks that have begun before give no limits. Collective over `node`, the ranks
/// of one node.
std::optional<MemoryLimit> share_on_node(std::vector<MemoryLimit> limits, adasum::Communicator& node);

/// This rank's share, as it was before the first training of this process. After a change of members the
/// memory of the one before it is free, but still counts as this process's. Collective over `node`.
std::optional<MemoryLimit> memory_limit_at_start(adasum::Communicator& node);

/// What rank 0 gathers for a checkpoint of split layers: weights and the optimizer's numbers; 0 without one.
double checkpoint_bytes(const Model& model, const TrainerOptions& options);

/// Throws Error (refused) if a step needs more than `limit` (planner::ParallelPlan::memory_bytes()), with
/// both and a command that plans. `strategies`: those of the user's plan; empty: the whole model on each
/// rank. Rank 0 also needs what it gathers for a checkpoint of split layers.
void check_memory(const Model& model, const TrainerOptions& options, int rank, int ranks,
                  const std::vector<planner::Strategy>& strategies, const MemoryLimit& limit);

}  // namespace adarun::trainer
