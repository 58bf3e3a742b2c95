// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace adarun::cli {

/// A command line that is being typed, as far as it goes.
struct TypedWords {
  const CLI::App* command = nullptr;    ///< The innermost one that is named.
  const CLI::Option* option = nullptr;  ///< Whose value the last word is; null: of none.
  std::map<std::string, std::string>
      values;                          ///< Of options that stand before it, by long name without dashes.
  std::vector<std::string> arguments;  ///< Words before it that are neither options nor theirs.
  std::string head;                    ///< What the last word begins with: "--hosts=" of "--hosts=node1".
  std::string word;                    ///< The rest of it.
  bool behind = false;                 ///< It stands behind "--".
};

/// Reads `words`, those behind "adarun"; the last one, which may be empty, is being typed. What is wrong in
/// them is passed over. `app` outlives the result.
TypedWords read_typed_words(const CLI::App& app, const std::vector<std::string>& words);

/// Whether an option stands with a value, unlike a flag.
bool takes_value(const CLI::Option& option);

/// Whether --help shows a command.
bool is_shown(const CLI::App& command);

}  // namespace adarun::cli
