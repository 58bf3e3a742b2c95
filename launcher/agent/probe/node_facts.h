// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/protocol/query.h"

namespace adarun::launcher::agent {

/// Answers a query that needs no program: read, list, addresses. Any other is answered as failed. Throws only
/// when out of memory.
protocol::Answer node_fact(const protocol::Query& query);

}  // namespace adarun::launcher::agent
