// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmi/command.h"

#include <algorithm>

namespace adarun::launcher::agent::pmi {

std::string_view Command::value(std::string_view key) const {
  const auto found =
      std::find_if(values.rbegin(), values.rend(), [key](const auto& pair) { return pair.first == key; });
  return found == values.rend() ? std::string_view() : found->second;
}

std::optional<std::pair<std::string, std::string>> parse_pair(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

std::optional<Command> parse_line(std::string_view line) {
  Command command;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    if (word.empty()) continue;
    auto pair = parse_pair(word);
    if (!pair) return std::nullopt;
    if (!command.name.empty()) {
      command.values.push_back(std::move(*pair));
    } else if (pair->first == "cmd" && !pair->second.empty()) {
      command.name = std::move(pair->second);
    } else {
      return std::nullopt;
    }
  }
  if (command.name.empty()) return std::nullopt;
  return command;
}

std::string line_of(const Command& command) {
  std::string line = "cmd=" + command.name;
  for (const auto& [key, value] : command.values) line += ' ' + key + '=' + value;
  return line + '\n';
}

}  // namespace adarun::launcher::agent::pmi
