// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/roles.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>

#include "cli/arguments/command.h"
#include "cli/arguments/launch_options.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/rank_set.h"
#include "cli/arguments/spec_file.h"
#include "launcher/hosts/host_list.h"
#include "ranktable/model/quote.h"

namespace adarun::cli {
namespace {

constexpr std::size_t most_role_name_bytes = 63;
constexpr std::string_view restarts_word = "restarts=";

[[noreturn]] void refuse_role(const std::string& text, const std::string& why) {
  throw ExitError(exit_usage, "--role " + ranktable::in_quotes(text) + ": " + why);
}

// Returns whether it is a word of a policy.
bool take_policy_word(launcher::RolePolicy& policy, std::string_view word) {
  if (word == "background") return policy.background = true;
  if (word == "optional") return policy.optional = true;
  if (!word.starts_with(restarts_word)) return false;
  const auto restarts = parse_whole<std::size_t>(word.substr(restarts_word.size()));
  policy.restarts = restarts.value_or(0);
  return restarts && policy.restarts <= launcher::most_role_restarts;
}

constexpr const char* role_option = "--role";
constexpr const char* empty_program = "the program is an empty word (a variable that is not set?)";

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
  if (words.front().empty()) refuse_role(text, empty_program);
  const Words program = words.first(end);
  return {program.begin(), program.end()};
}

void add_role(std::vector<launcher::Role>& roles, launcher::Role role, const std::string& text) {
  if (std::ranges::find(roles, role.name, &launcher::Role::name) != roles.end())
    refuse_role(text, "a second role of this name");
  roles.push_back(std::move(role));
}

void add_ranks_of(launcher::Role& role, const std::string& host, const launcher::Placement& placement) {
  const auto place = std::ranges::find(placement.hosts, host, &launcher::Host::name);
  if (place == placement.hosts.end())
    throw ExitError(exit_usage, "role " + role.name + ": \"" + host + "\" is none of the job's hosts");
  const std::ptrdiff_t number = place - placement.hosts.begin();
  for (const ranktable::Device& device : placement.table.servers[static_cast<std::size_t>(number)].devices)
    role.ranks.push_back(static_cast<std::uint32_t>(device.rank_id));
}

void take_ranks_of_hosts(launcher::Role& role, const std::string& list,
                         const launcher::Placement& placement) {
  const auto hosts =
      or_exit(exit_usage, [&] { return launcher::parse_host_list(list, "hosts of role " + role.name); });
  for (const launcher::Host& host : hosts) add_ranks_of(role, host.name, placement);
  std::ranges::sort(role.ranks);
}

// "node[1-4]:8", "a:8,b:8": no program has such a name.
bool looks_like_hosts(const std::string& word) {
  if (word.find_first_of("[:") == std::string::npos || word.find_first_of("/=") != std::string::npos)
    return false;
  try {
    return !launcher::parse_host_list(word).empty();
  } catch (const launcher::Error&) {
    return false;
  }
}

bool has_policy(const launcher::Role& role) {
  return role.policy != launcher::RolePolicy{};
}

bool is_background(const launcher::Role& role) {
  return role.policy.background;
}

}  // namespace

bool is_role_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_plain = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= most_role_name_bytes && is_letter(name.front()) &&
         std::ranges::all_of(name, is_plain);
}

launcher::Role read_role(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !is_role_name(name))
    refuse_role(text,
                "wanted NAME=RANKS such as decode=8-15, a NAME of letters, digits, - and _, a letter first");
  const std::size_t colon = std::min(text.find(':', equals), text.size());
  const std::string list = text.substr(equals + 1, colon - equals - 1);
  const auto ranks = or_exit<std::invalid_argument>(
      exit_usage, [&] { return parse_ranks(list); }, "--role " + name + ": ");
  launcher::Role role{name, {ranks.begin(), ranks.end()}, {}};
  for (std::size_t begin = colon; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin + 1), text.size());
    const std::string word = text.substr(begin + 1, end - begin - 1);
    if (!take_policy_word(role.policy, word))
      refuse_role(text, ranktable::in_quotes(word) + ": wanted background, optional or restarts=N");
    begin = end;
  }
  return role;
}

void add_roles(CLI::App& command, std::vector<std::string>& texts) {
  add_texts(command, role_option, texts, "NAME=RANKS",
            "Give these ranks the program behind --; more roles with programs of their own follow it");
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

void refuse_empty_program(const std::string& command, const std::vector<std::string>& words) {
  if (!words.empty() && words.front().empty()) throw ExitError(exit_usage, command + ": " + empty_program);
}

JobPrograms read_programs(const std::vector<std::string>& role_texts, const Invocation& invocation) {
  const SpecFile* spec = invocation.spec.get();
  const bool is_in_spec = spec != nullptr && (!spec->program.empty() || !spec->roles.roles.empty());
  const bool is_typed = !invocation.trailing.empty() || !role_texts.empty();
  if (is_in_spec && is_typed)
    throw ExitError(exit_usage, "launch: the file of --spec has a program: wanted none behind it");
  if (is_in_spec) return {spec->program, spec->roles};
  if (invocation.trailing.empty())
    throw ExitError(exit_usage, "launch: no program given, as in: adarun launch --hosts node1:8 ./train");
  const std::string& first = invocation.trailing.front();
  refuse_empty_program("launch", invocation.trailing);
  if (looks_like_hosts(first))
    throw ExitError(exit_usage,
                    "launch: " + ranktable::in_quotes(first) +
                        " looks like a list of hosts, where the program is to be: wanted --hosts " + first);
  JobPrograms programs{{}, {read_roles(role_texts, invocation.trailing), {}}};
  if (programs.given.roles.empty()) programs.program = invocation.trailing;
  return programs;
}

std::vector<launcher::Role> roles_on(const GivenRoles& given, const launcher::Placement& placement) {
  std::vector<launcher::Role> roles = given.roles;
  for (launcher::Role& role : roles)
    if (const auto hosts = given.hosts.find(role.name); hosts != given.hosts.end())
      take_ranks_of_hosts(role, hosts->second, placement);
  or_exit(exit_usage, [&] { launcher::require_roles_fit(roles, placement); });
  return roles;
}

void require_options_fit(const std::vector<launcher::Role>& roles, const LaunchOptions& options) {
  if (roles.empty()) return;
  if (options.spares.min_nodes)
    throw ExitError(exit_usage,
                    "--role: not with --min-nodes: with fewer nodes, ranks of a role would be missing");
  if (options.min_ranks && std::ranges::any_of(roles, has_policy))
    throw ExitError(exit_usage, "--min-ranks: not with roles that are background, optional or restarted");
  if (std::ranges::all_of(roles, is_background))
    throw ExitError(exit_usage, "--role: all roles are in the background: the job has none to wait for");
}

}  // namespace adarun::cli
