// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/plan.h"

namespace adarun::cli {

/// Prints what a launch would do: per rank its node, device, folder, variables and program.
void show_plan(const launcher::Plan& plan, const std::string& agent);

}  // namespace adarun::cli
