// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/remote_command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/shell_word.h"
#include "launcher/base/error.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"

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

constexpr const char* known_placeholders =
    "{host} {user} {port} {identity} {ssh-config} {host-key} {command}, or a variable such as {HOME}";
// They join their arguments to one text, which a shell on the other side reads.
constexpr std::array joining_programs{"ssh", "rsh", "remsh", "gsissh", "sshpass"};

bool is_of_target(std::string_view name) {
  constexpr std::array of_target{"host", "user", "port", "identity", "ssh-config", "host-key"};
  return std::find(of_target.begin(), of_target.end(), name) != of_target.end();
}

bool is_placeholder_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// Replaces each placeholder by what `value` returns for its name; braces around other text stay. Nothing if
// `value` returns nothing for one of them.
std::optional<std::string> replaced(
    const std::string& word, const std::function<std::optional<std::string>(const std::string&)>& value) {
  std::string result;
  std::size_t at = 0;
  while (at < word.size()) {
    const std::size_t open = word.find('{', at);
    const std::size_t close = open == std::string::npos ? open : word.find('}', open);
    const std::string name = close == std::string::npos ? "" : word.substr(open + 1, close - open - 1);
    if (!is_placeholder_name(name)) {
      const std::size_t end = open == std::string::npos ? word.size() : open + 1;
      result.append(word, at, end - at);
      at = end;
      continue;
    }
    const std::optional<std::string> text = value(name);
    if (!text) return std::nullopt;
    result.append(word, at, open - at).append(*text);
    at = close + 1;
  }
  return result;
}

std::string with_variables(const std::string& word, const std::function<const char*(const char*)>& variable) {
  return *replaced(word, [&variable](const std::string& name) -> std::optional<std::string> {
    if (is_of_target(name) || name == "command") return "{" + name + "}";
    if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string::npos)
      throw Error("{" + name + "}: wanted " + known_placeholders);
    if (const char* value = variable(name.c_str())) return value;
    throw Error("{" + name + "}: this variable is not set");
  });
}

bool has(const std::vector<std::string>& words, const char* placeholder) {
  return std::any_of(words.begin(), words.end(), [placeholder](const std::string& word) {
    return word.find(placeholder) != std::string::npos;
  });
}

bool joins_words(const std::string& program) {
  const std::string name = program.substr(program.rfind('/') + 1);
  return std::find(joining_programs.begin(), joining_programs.end(), name) != joining_programs.end();
}

void require_usable(const std::vector<std::string>& words) {
  if (words.empty() || words.front().empty()) throw Error("wanted a command, such as: ip netns exec {host}");
  if (words.front().find('{') != std::string::npos)
    throw Error(ranktable::in_quotes(words.front()) +
                ": wanted a program of this machine, without {placeholders}, as the first word");
  if (!has(words, "{host}")) throw Error("{host} is nowhere in it: every node would be the same");
  const auto end = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return word.find("{host}") != std::string::npos;
  });
  const auto joining = std::find_if(words.begin(), end, joins_words);  // Also behind sudo, env, timeout.
  if (joining != end && !has(words, "{command}"))
    throw Error(*joining +
                " hands its words to a shell: write {command} where the program is to stand, as in: ssh -T "
                "{host} exec {command}");
}

void require_name(const std::string& name, const char* what) {
  if (!name.empty() && !ranktable::is_server_name(name))
    throw Error(std::string(what) + " " + ranktable::in_quotes(name) + ": wanted " +
                std::string(ranktable::server_name_letters));
}

std::string value_of(const CommandTarget& target, const std::string& name) {
  if (name == "host") return target.host;
  if (name == "user") return target.user;
  if (name == "port") return target.port == 0 ? "" : std::to_string(target.port);
  if (name == "identity") return target.identity;
  return name == "ssh-config" ? target.ssh_config : target.host_key;
}

// `quoted`: what {command} stands for.
std::vector<std::string> words_with(const RemoteCommand& command, const CommandTarget& target,
                                    const std::string& quoted) {
  std::vector<std::string> words;
  for (const std::string& word : command.words) {
    auto text = replaced(word, [&](const std::string& name) -> std::optional<std::string> {
      if (name == "command") return quoted;
      if (!is_of_target(name)) return "{" + name + "}";  // From a variable's value.
      const std::string value = value_of(target, name);
      return value.empty() ? std::nullopt : std::optional(value);
    });
    if (text)
      words.push_back(std::move(*text));
    else if (has({word}, "{host}") || has({word}, "{command}"))
      throw Error(ranktable::in_quotes(word) + ": " + target.host +
                  " has not all of these; give --user, --port");
  }
  return words;
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

RemoteCommand parse_remote_command(const std::string& name, const std::string& line,
                                   const std::function<const char*(const char*)>& variable) {
  RemoteCommand command{name, {}};
  const std::vector<std::string> words = split_words(line);
  require_usable(words);
  for (const std::string& word : words) command.words.push_back(with_variables(word, variable));
  return command;
}

std::vector<std::string> words_of(const RemoteCommand& command, const CommandTarget& target,
                                  const std::vector<std::string>& program) {
  if (target.host.empty()) throw Error("a host without a name");
  require_name(target.host, "host");
  require_name(target.user, "user");
  if (has(command.words, "{command}")) return words_with(command, target, base::shell_words(program));
  std::vector<std::string> words = words_with(command, target, "");
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

std::string text_of(const RemoteCommand& command, const CommandTarget& target) {
  std::string text;
  for (const std::string& word : words_with(command, target, "..."))
    text += (text.empty() ? "" : " ") + (word == "..." ? word : base::readable_word(word));
  return text;
}

}  // namespace adarun::launcher
