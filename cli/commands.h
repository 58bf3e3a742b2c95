// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cli/command.h"

namespace adarun::cli {

/// Every command of the program, in the order --help lists them. A command is one file and one line here.
inline constexpr std::array<AddCommand, 0> commands{};

}  // namespace adarun::cli
