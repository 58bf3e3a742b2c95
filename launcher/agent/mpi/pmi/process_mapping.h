// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmi {

/// Which rank is on which node, in the format of MPICH's key PMI_process_mapping: "(vector,(0,2,4),(2,1,3))"
/// puts 4 ranks on each of nodes 0 and 1, then 3 on node 2. If there are more ranks, the list is repeated.
/// Nodes are numbered in the order of their first ranks. "" if the ranks of `nodes` are not 0, 1, 2, ...
std::string process_mapping(const std::vector<protocol::NodeRanks>& nodes);

}  // namespace adarun::launcher::agent::pmi
