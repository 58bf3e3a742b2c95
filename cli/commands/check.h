// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun check`.
void add_check(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
