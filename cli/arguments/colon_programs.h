// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_line.h"

namespace adarun::cli {

/// Whether `line` has several programs as mpirun has them: "-n 1 ./server : -n 3 ./worker".
bool has_colon_programs(const CommandLine& line);

/// Writes them with --role: own "-n 4 --role app0=0", trailing "./server --role app1=1-3 -- ./worker". Throws
/// Quit with exit_usage unless each program has its -n N.
CommandLine with_roles(CommandLine line);

}  // namespace adarun::cli
