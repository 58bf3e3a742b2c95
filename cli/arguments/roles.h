// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/plan/job_options.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Adds --role; `texts` gets its values, of which the first one alone stands before a "--".
void add_roles(CLI::App& command, std::vector<std::string>& texts);

/// The roles of a command line "--role NAME=RANKS -- PROGRAM ARGS --role NAME=RANKS -- PROGRAM ARGS": `texts`
/// are the values of --role before the first "--", `words` are all words behind it. A program ends where
/// "--role NAME=RANKS --" follows; "--role" with anything else behind it is a word of the program. No role
/// for no `texts`. Throws Quit with exit_usage.
std::vector<launcher::Role> read_roles(const std::vector<std::string>& texts,
                                       const std::vector<std::string>& words);

}  // namespace adarun::cli
