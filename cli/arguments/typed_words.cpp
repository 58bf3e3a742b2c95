// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/typed_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace adarun::cli {
namespace {

bool has_name(const CLI::Option& option, const std::string& word) {
  const bool is_long = word.starts_with("--");
  const std::vector<std::string>& names = is_long ? option.get_lnames() : option.get_snames();
  return std::find(names.begin(), names.end(), word.substr(is_long ? 2 : 1)) != names.end();
}

std::string key_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_single_name() : option.get_lnames().front();
}

void take(TypedWords& typed, const std::string& word) {
  if (typed.option != nullptr) {
    typed.values[key_of(*typed.option)] = word;
    typed.option = nullptr;
  } else if (is_option(word)) {
    const std::size_t equals = word.find('=');
    const CLI::Option* option = option_named(typed.command, word.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return;
    if (equals == std::string::npos)
      typed.option = option;
    else
      typed.values[key_of(*option)] = word.substr(equals + 1);
  } else if (const CLI::App* inner = command_named(*typed.command, word); inner != nullptr) {
    typed.command = inner;
  } else {
    typed.arguments.push_back(word);
  }
}

// Whether the program of launch begins with the next word.
bool begins_program(const TypedWords& typed, const std::string& word) {
  return typed.command->get_name() == "launch" && typed.option == nullptr && !is_option(word);
}

}  // namespace

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

const CLI::Option* option_named(const CLI::App* command, const std::string& word) {
  for (; command != nullptr; command = command->get_parent())
    for (const CLI::Option* option : command->get_options())
      if (has_name(*option, word)) return option;
  return nullptr;
}

const CLI::App* command_named(const CLI::App& around, const std::string& word) {
  const auto found = around.get_subcommands([&](const CLI::App* each) { return each->get_name() == word; });
  return found.empty() ? nullptr : found.front();
}

TypedWords read_typed_words(const CLI::App& app, const std::vector<std::string>& words) {
  TypedWords typed;
  typed.command = &app;
  if (words.empty()) return typed;
  typed.word = words.back();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_typed = i + 1 == words.size();
    const bool is_dashes = !is_typed && words[i] == "--" && typed.option == nullptr;
    const bool has_begun = !is_typed || !words[i].empty();
    typed.behind = is_dashes || (has_begun && begins_program(typed, words[i]));
    typed.before = is_dashes ? i + 1 : i;
    if (typed.behind) return typed;
    if (!is_typed) take(typed, words[i]);
  }
  const std::size_t equals = typed.word.find('=');
  if (typed.option != nullptr || !typed.word.starts_with("--") || equals == std::string::npos) return typed;
  typed.option = option_named(typed.command, typed.word.substr(0, equals));
  typed.head = typed.word.substr(0, equals + 1);
  typed.word.erase(0, equals + 1);
  return typed;
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_min() > 0;
}

bool is_shown(const CLI::App& command) {
  return !command.get_group().empty();
}

}  // namespace adarun::cli
