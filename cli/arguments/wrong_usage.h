// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace adarun::cli {

/// Whether the command of this name takes words after "--", as a program or as options for one.
bool takes_program(const std::string& command);

/// The message for `arguments` (in order, without the program's name) that `app` refused with `wrong`: one
/// line that names the wrong word, what was expected, the word that was probably meant, and how to get help.
/// If a subcommand is missing altogether, the command's whole help.
std::string wrong_usage(const CLI::App& app, const CLI::ParseError& wrong,
                        const std::vector<std::string>& arguments);

}  // namespace adarun::cli
