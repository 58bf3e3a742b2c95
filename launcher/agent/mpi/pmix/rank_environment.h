// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// What Open MPI reads from the environment of a rank at place `local_rank` of this node, besides what PMIx
/// sets.
std::vector<std::string> rank_environment(const protocol::Start& start, std::uint32_t rank,
                                          std::size_t local_rank);

}  // namespace adarun::launcher::agent::pmix
