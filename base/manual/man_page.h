// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace adarun::manual {

/// Escapes `text` so that roff prints it unchanged, within a line.
std::string roff_text(const std::string& text);

/// `text`, escaped, in bold or italics.
std::string roff_bold(const std::string& text);
std::string roff_italic(const std::string& text);

/// A paragraph of help text as roff: lines that begin with blanks are kept as they are, others are filled.
std::string roff_paragraph(const std::vector<std::string>& lines);

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
