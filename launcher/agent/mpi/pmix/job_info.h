// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/agent/mpi/pmix/info_list.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// The job data that ranks of this node can query: its nodes, the placement of ranks, its sizes. `folder`:
/// where the ranks may keep files. Throws agent::Error if libpmix rejects the maps.
InfoList describe_job(const Library& library, const protocol::Start& start, const std::string& folder);

/// The "NAME=VALUE" variables that Open MPI reads, besides those of PMIx, for the rank with this
/// `local_rank`.
std::vector<std::string> rank_environment(const protocol::Start& start, std::uint32_t rank,
                                          std::size_t local_rank);

}  // namespace adarun::launcher::agent::pmix
