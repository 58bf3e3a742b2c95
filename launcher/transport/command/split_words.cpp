// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/split_words.h"

#include <optional>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr std::string_view blanks = " \t\r\n";

char taken_from(std::string_view& rest) {
  const char c = rest.front();
  rest.remove_prefix(1);
  return c;
}

// Takes the text up to the closing quote, which is taken too.
void take_quoted(std::string_view& rest, char quote, std::string& word) {
  while (!rest.empty()) {
    const char c = taken_from(rest);
    if (c == quote) return;
    const bool escapes =
        quote == '"' && c == '\\' && !rest.empty() && (rest.front() == '"' || rest.front() == '\\');
    word += escapes ? taken_from(rest) : c;
  }
  throw Error(std::string("a ") + quote + " is not closed");
}

}  // namespace

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  std::string_view rest = line;
  while (!rest.empty()) {
    const char c = taken_from(rest);
    if (blanks.find(c) != std::string_view::npos) {
      if (word) words.push_back(std::move(*word));
      word.reset();
      continue;
    }
    if (!word) word.emplace();
    if (c == '\'' || c == '"') {
      take_quoted(rest, c, *word);
    } else if (c == '\\') {
      if (rest.empty()) throw Error("nothing follows its last backslash");
      *word += taken_from(rest);
    } else {
      *word += c;
    }
  }
  if (word) words.push_back(std::move(*word));
  return words;
}

}  // namespace adarun::launcher
