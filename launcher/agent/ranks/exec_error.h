// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "launcher/agent/ranks/spawn.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// How far a child gets before its program is executed.
enum class SpawnStep : std::uint8_t { set_up, workdir, execute, bind, limit };

/// What a child says when it does not get as far as its program; it then exits.
struct ExecError {
  SpawnStep step = SpawnStep::set_up;
  std::int32_t error = 0;     ///< An errno value.
  std::uint8_t resource = 0;  ///< limit: which.
};

/// Why `program` was not executed, for a person to read: `who` ("rank 3: ", or nothing), the thing, where it
/// was looked for, and what the system said.
protocol::Failed explain(const std::string& who, const Program& program, const ExecError& exec_error);

}  // namespace adarun::launcher::agent
