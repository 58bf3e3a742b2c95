// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun launch`: any program as every rank.
void add_launch(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
