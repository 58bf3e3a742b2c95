// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/agent/mpi/pmix/info_list.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// What ranks of this node can ask about the job: its nodes, which rank is where, its sizes. `folder`: where
/// the ranks may keep files. Throws agent::Error where libpmix does not take the maps.
InfoList describe_job(const Library& library, const protocol::Start& start, const std::string& folder);

}  // namespace adarun::launcher::agent::pmix
