// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun status`: tells where a job stands.
void add_status(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
