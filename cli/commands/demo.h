// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun demo`: the main job on this machine, over real SSH.
void add_demo(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
