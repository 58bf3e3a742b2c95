// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace adarun::cli {

/// Adds an option that takes one of a few words; anything else is wrong usage. `target` must outlive the
/// parse and may be an optional.
template <typename Value, typename Target>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Target& target,
                        const std::vector<std::pair<std::string, Value>>& choices, const std::string& help) {
  std::string words;
  for (const auto& [word, value] : choices) words += (words.empty() ? "" : "|") + word;
  const auto take = [&target, name, choices, words](const std::string& text) {
    for (const auto& [word, value] : choices)
      if (word == text) {
        target = value;
        return;
      }
    throw CLI::ValidationError(name, "\"" + text + "\": wanted " + words);
  };
  return command.add_option_function<std::string>(name, take, help)->type_name(words);
}

}  // namespace adarun::cli
