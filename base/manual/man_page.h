// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace adarun::manual {

/// A manual page of section 1: its name, such as adarun-ranktable-gen, and its text as roff.
struct Page {
  std::string name;
  std::string text;
};

/// Whether a command takes arguments after "--"; `command` is the name of the top-level command.
using TakesWords = std::function<bool(const std::string& command)>;

/// The pages of `command` and of all its subcommands that --help lists. Each holds what --help prints: name,
/// usage, arguments, commands, options, examples, exit status.
std::vector<Page> man_pages(const CLI::App& command, const TakesWords& takes_words);

}  // namespace adarun::manual
