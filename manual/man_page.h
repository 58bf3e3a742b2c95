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

/// Whether a command, by the name of the outermost one, takes words behind "--".
using TakesWords = std::function<bool(const std::string& command)>;

/// The pages of a program, or of one of its commands, and of all commands in it that --help shows; of what
/// --help says: name, usage, arguments, commands, options, examples, exit status.
std::vector<Page> man_pages(const CLI::App& command, const TakesWords& takes_words);

}  // namespace adarun::manual
