// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace adarun::cli {

/// Whether words behind "--" are a program, or options for one, to the command of this name.
bool takes_program(const std::string& command);

/// What to tell whoever typed `arguments` (in their order, without the program's name), which `app` refused
/// with `wrong`: one line that names the word that is wrong, what was wanted, the word that was probably
/// meant, and where the help is. A command whose own commands are missing altogether gives its whole help.
std::string wrong_usage(const CLI::App& app, const CLI::ParseError& wrong,
                        const std::vector<std::string>& arguments);

}  // namespace adarun::cli
