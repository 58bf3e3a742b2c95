// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun monitor`: the loss of a job from its logs, live or as a summary.
void add_monitor(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
