// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::cli {

/// The command of adarun that does what a command of docker, kubectl or Slurm does, such as "stop" for
/// "kill", or that belongs behind "ranktable"; empty: none that is known.
std::string own_command_for(std::string_view word);

}  // namespace adarun::cli
