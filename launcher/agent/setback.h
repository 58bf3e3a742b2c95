// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/agent/spawn.h"
#include "launcher/wire/messages.h"

namespace adarun::agent {

/// Why `program` was not executed, for a person to read: `who` ("rank 3: ", or nothing), the thing, where it
/// was looked for, and what the system said.
wire::Failed explain(const std::string& who, const Program& program, const Setback& setback);

}  // namespace adarun::agent
