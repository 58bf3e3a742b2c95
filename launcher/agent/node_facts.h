// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/wire/query.h"

namespace adarun::agent {

/// Answers a question that needs no program: read, list, addresses. Anything else is answered as failed.
/// Throws nothing but what runs out of memory.
wire::Answer node_fact(const wire::Query& query);

}  // namespace adarun::agent
