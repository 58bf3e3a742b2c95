// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace adarun::cli {

/// A command line that is being typed.
struct TypedWords {
  const CLI::App* command = nullptr;    ///< The innermost command that is named.
  const CLI::Option* option = nullptr;  ///< The option whose value the last word is; null: none.
  /// Values of options before the last word, by long name without dashes.
  std::map<std::string, std::string> values;
  std::vector<std::string> arguments;  ///< Words before it that are neither options nor their values.
  std::string head;                    ///< Option part of the last word: "--hosts=" of "--hosts=node1".
  std::string word;                    ///< The rest of it.
  bool behind = false;                 ///< It is of the program of launch, or comes after "--".
  std::size_t before = 0;              ///< How many words stand before the program, or the last word.
};

/// Parses `words`, those after "adarun"; the last one, which may be empty, is being typed. Unknown options
/// are ignored. `app` must outlive the result.
TypedWords read_typed_words(const CLI::App& app, const std::vector<std::string>& words);

/// Whether a word is written like an option: "-n", "--hosts=a".
bool is_option(const std::string& word);

/// The option `word` ("--hosts", "-H") of a command, or of those around it, which it takes as well; null:
/// none.
const CLI::Option* option_named(const CLI::App* command, const std::string& word);

/// The command of that name directly in `around`; null: none.
const CLI::App* command_named(const CLI::App& around, const std::string& word);

/// Whether an option takes a value, unlike a flag.
bool takes_value(const CLI::Option& option);

/// Whether --help shows a command.
bool is_shown(const CLI::App& command);

}  // namespace adarun::cli
