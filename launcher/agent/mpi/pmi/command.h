// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adarun::launcher::agent::pmi {

/// A request or answer of PMI-1, the protocol between MPICH programs and their process manager. Most are one
/// line, "cmd=NAME KEY=VALUE KEY=VALUE\n"; a few requests have several lines: "mcmd=NAME\n", then
/// "KEY=VALUE\n" each, then "endcmd\n".
struct Command {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;

  /// The value of the last `key`; empty if there is none.
  std::string_view value(std::string_view key) const;

  bool operator==(const Command&) const = default;
};

/// Splits KEY=VALUE at the first '='; nothing if there is no '=' or no key.
std::optional<std::pair<std::string, std::string>> parse_pair(std::string_view text);

/// Parses a line, without its line end, that begins with cmd=; nothing if it does not, or if a word is not
/// KEY=VALUE.
std::optional<Command> parse_line(std::string_view line);

/// The command as one line, with its line end. Names, keys and values must contain no blanks or line ends.
std::string line_of(const Command& command);

}  // namespace adarun::launcher::agent::pmi
