// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/roles.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "cli/arguments/command.h"
#include "cli/arguments/role_text.h"
#include "launcher/base/error.h"

namespace adarun::cli {
namespace {

constexpr const char* role_option = "--role";

using Words = std::span<const std::string>;

// How many words "--role NAME=RANKS --" or "--role=NAME=RANKS --" are at the front of `words`; 0: they are
// something else.
std::size_t beginning_of_role(Words words) {
  const std::string joined = std::string(role_option) + "=";
  if (words.size() > 2 && words[0] == role_option && words[2] == "--") return 3;
  return words.size() > 1 && words[0].starts_with(joined) && words[1] == "--" ? 2 : 0;
}

std::string text_of_role(Words words) {
  return words[0] == role_option ? words[1] : words[0].substr(words[0].find('=') + 1);
}

// All words up to the next role.
std::vector<std::string> program_in(Words words, const std::string& text) {
  std::size_t end = 0;
  while (end < words.size() && beginning_of_role(words.subspan(end)) == 0) ++end;
  if (end == 0) refuse_role(text, "wanted -- and its program behind it");
  const Words program = words.first(end);
  return {program.begin(), program.end()};
}

void add_role(std::vector<launcher::Role>& roles, launcher::Role role, const std::string& text) {
  if (std::ranges::find(roles, role.name, &launcher::Role::name) != roles.end())
    refuse_role(text, "a second role of this name");
  roles.push_back(std::move(role));
}

}  // namespace

void add_roles(CLI::App& command, std::vector<std::string>& texts) {
  command
      .add_option(role_option, texts,
                  "Give these ranks the program behind --; more roles with programs of their own follow it")
      ->type_name("NAME=RANKS")
      ->expected(1)
      ->take_all();
}

std::vector<launcher::Role> read_roles(const std::vector<std::string>& texts,
                                       const std::vector<std::string>& words) {
  std::vector<launcher::Role> roles;
  if (texts.empty()) return roles;
  if (texts.size() > 1) refuse_role(texts.front(), "wanted -- and its program behind it");
  std::string text = texts.front();
  Words rest(words);
  while (true) {
    launcher::Role role = read_role(text);
    role.argv = program_in(rest, text);
    rest = rest.subspan(role.argv.size());
    add_role(roles, std::move(role), text);
    if (rest.empty()) return roles;
    text = text_of_role(rest);
    rest = rest.subspan(beginning_of_role(rest));
  }
}

}  // namespace adarun::cli
