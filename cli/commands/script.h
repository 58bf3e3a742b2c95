// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun script`: the same job for sites where others start it, as files to read, change and run.
void add_script(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
