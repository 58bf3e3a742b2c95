// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/agent/mpi/pmix/info_list.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// What ranks of this node can ask about the job: its nodes, which rank is where, its sizes. `folder`: where
/// the ranks may keep files. Throws agent::Error where libpmix does not take the maps.
InfoList describe_job(const Library& library, const protocol::Start& start, const std::string& folder);

/// What Open MPI reads from the environment of a rank at place `local_rank` of this node, besides what PMIx
/// sets: "NAME=VALUE".
std::vector<std::string> rank_environment(const protocol::Start& start, std::uint32_t rank,
                                          std::size_t local_rank);

}  // namespace adarun::launcher::agent::pmix
