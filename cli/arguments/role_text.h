// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/plan/job_options.h"

namespace adarun::cli {

/// Whether a role may have this name: a letter, then up to 62 letters, digits, '-' and '_'.
bool is_role_name(const std::string& name);

/// Throws Quit with exit_usage: --role "TEXT": WHY.
[[noreturn]] void refuse_role(const std::string& text, const std::string& why);

/// A role without its program, as --role has it: "NAME=RANKS", then its policy: "proxy=0:background",
/// "decode=8-15:optional,restarts=3". Throws Quit with exit_usage.
launcher::Role read_role(const std::string& text);

}  // namespace adarun::cli
