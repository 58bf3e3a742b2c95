// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/agent/ranks/spawn.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Why `program` was not executed, for a person to read: `who` ("rank 3: ", or nothing), the thing, where it
/// was looked for, and what the system said.
protocol::Failed explain(const std::string& who, const Program& program, const ExecError& exec_error);

}  // namespace adarun::launcher::agent
