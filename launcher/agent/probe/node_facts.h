// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/protocol/query.h"

namespace adarun::launcher::agent {

/// Answers a question that needs no program: read, list, addresses. Anything else is answered as failed.
/// Throws nothing but what runs out of memory.
protocol::Answer node_fact(const protocol::Query& query);

}  // namespace adarun::launcher::agent
