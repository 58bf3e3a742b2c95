// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun ps`: lists jobs.
void add_ps(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
