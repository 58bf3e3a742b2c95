// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adarun::launcher::agent::pmi {

/// A request or an answer of PMI-1, by which MPICH programs speak to what has started them. Most are one
/// line, "cmd=NAME KEY=VALUE KEY=VALUE\n"; a few requests are several, from "mcmd=NAME\n" over "KEY=VALUE\n"
/// to "endcmd\n".
struct Command {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;

  /// The value of the last `key` in it; empty where there is none.
  std::string_view value(std::string_view key) const;

  bool operator==(const Command&) const = default;
};

/// KEY=VALUE, cut at the first '='; nothing where that leaves no key.
std::optional<std::pair<std::string, std::string>> parse_pair(std::string_view text);

/// A line, without its end, that begins with cmd=; nothing where it is none, or a part of it is no KEY=VALUE.
std::optional<Command> parse_line(std::string_view line);

/// The command as one line, with its end. Names, keys and values hold neither blanks nor line ends.
std::string line_of(const Command& command);

}  // namespace adarun::launcher::agent::pmi
