// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file_descriptor.h"
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

/// Reads what a child has reported so far, without blocking, and closes `report` behind the last of it. Sets
/// `ready` once the child is. Returns why it did not execute its program; nothing: it did, was killed before
/// that, or, while `report` is open, may still report.
std::optional<ExecError> take_exec_error(base::FileDescriptor& report, bool& ready);

/// Why `program` was not executed, as a message for users: `who` ("rank 3: ", or empty), the object, where it
/// was looked up, and the system's error text.
protocol::Failed explain(const std::string& who, const Program& program, const ExecError& exec_error);

}  // namespace adarun::launcher::agent
