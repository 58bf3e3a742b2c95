// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/manual/man_page.h"

namespace adarun::trainer::data_tools {

/// `adarun-trainer data draw|convert|inspect`: makes, converts and inspects data sets. `argv[0]` is `data`.
/// Prints to stdout; returns the exit status. Throws Error.
int run(int argc, const char* const* argv);

/// The manual pages of `adarun-trainer data` and its commands.
std::vector<manual::Page> man_pages();

}  // namespace adarun::trainer::data_tools
