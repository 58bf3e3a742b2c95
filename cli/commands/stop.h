// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun stop`: ends a job.
void add_stop(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
