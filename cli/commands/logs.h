// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun logs`: the workers' logs of a job, as they are or while they grow.
void add_logs(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
