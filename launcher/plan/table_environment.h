// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ranktable/model/rows.h"

namespace adarun::launcher {

/// The variables of a rank outside of any job.
struct EnvironmentOfRank {
  ranktable::Row row;
  std::vector<std::string> variables;  ///< "NAME=VALUE"
  std::vector<std::string> defaults;  ///< "NAME=VALUE" of what the node's own environment may have otherwise.
};

/// What `launch` would tell the ranks of one node (RankEnvironment), by rank, for whoever starts them by
/// other means: RANK_TABLE_FILE is `table_file`, server_ids stand for the nodes' addresses, and what belongs
/// to a job of adarun is left out. MASTER_PORT is the same wherever this is called. `table` must be valid and
/// have a server `node`.
std::vector<EnvironmentOfRank> environment_of_node(const ranktable::Table& table, std::size_t node,
                                                   const std::string& table_file);

}  // namespace adarun::launcher
