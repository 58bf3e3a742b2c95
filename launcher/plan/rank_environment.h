// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// The variables that tell a rank who it is: HCCL's (RANK_TABLE_FILE RANK_ID RANK_SIZE DEVICE_ID DEVICE_NUM
/// SERVER_ID), PyTorch's (RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK MASTER_ADDR MASTER_PORT),
/// Open MPI's choice of network, and adarun's own. Made once per node; borrows `start` and `options`.
class RankEnvironment {
 public:
  /// `master`: address of node 0, "" where only its name is known. `network`: as common_network() gives it.
  RankEnvironment(const protocol::Start& start, const JobOptions& options, const ranktable::Table& table,
                  const std::string& master, std::string network);

  /// "NAME=VALUE" of one rank.
  std::vector<std::string> of(const ranktable::Device& device, std::size_t local_rank,
                              std::size_t local_size) const;

  /// "NAME=VALUE" of variables that the node's own environment may have otherwise: one OpenMP thread where a
  /// node has several ranks; Open MPI's yielding waits where several nodes are one machine, and its
  /// asking for addresses of peers one by one where nodes are many.
  std::vector<std::string> defaults(std::size_t local_size) const;

 private:
  const protocol::Start& start_;
  const JobOptions& options_;
  std::string master_;
  std::size_t nodes_;
  std::string network_;
};

}  // namespace adarun::launcher
