// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace adarun::launcher::agent {

/// How fast this node is while `processes` ranks (1 or more) run on it: the numbers of an answer to
/// Question::speed (launcher/protocol/query.h). At most as many processes as the node has CPUs measure at the
/// same time; where there are fewer CPUs, they share them. Takes about 0.2 s. For a single-threaded process
/// of its own, which it binds to CPUs. Throws agent::Error.
std::vector<std::uint64_t> measure_node_speed(std::size_t processes);

}  // namespace adarun::launcher::agent
