// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun man-pages DIR`, which --help does not show: the build has it write a page of each command to DIR.
void add_man_pages(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
