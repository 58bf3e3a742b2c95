// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun attach`: shows what a detached job prints, and goes again.
void add_attach(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
