// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "launcher/agent/ranks/spawn.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// The step between fork and exec at which a child fails; `ready` is none: all before `execute` is done.
enum class SpawnStep : std::uint8_t { set_up, workdir, execute, bind, limit, ready };

/// What a child reports: `ready` before it executes its program, so that one that is killed before that is
/// known; another step before it exits if that cannot be done.
struct ExecError {
  SpawnStep step = SpawnStep::set_up;
  std::int32_t error = 0;     ///< An errno value.
  std::uint8_t resource = 0;  ///< For `limit`: RLIMIT_*.
};

/// Why `program` was not executed, as a message for users: `who` ("rank 3: ", or empty), the object, where it
/// was looked up, and the system's error text.
protocol::Failed explain(const std::string& who, const Program& program, const ExecError& exec_error);

}  // namespace adarun::launcher::agent
