// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/role_text.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string_view>

#include "cli/arguments/command.h"
#include "cli/arguments/rank_set.h"
#include "ranktable/model/quote.h"

namespace adarun::cli {
namespace {

constexpr std::size_t most_name_bytes = 63;
constexpr std::string_view restarts_word = "restarts=";

std::set<std::uint32_t> ranks_of_text(const std::string& name, const std::string& text) {
  try {
    return parse_ranks(text);
  } catch (const std::invalid_argument& error) {
    throw Quit(exit_usage, "--role " + name + ": " + error.what());
  }
}

// Returns whether it is a word of a policy.
bool take_policy_word(launcher::RolePolicy& policy, std::string_view word) {
  if (word == "background") return policy.background = true;
  if (word == "optional") return policy.optional = true;
  if (!word.starts_with(restarts_word)) return false;
  const std::string_view number = word.substr(restarts_word.size());
  const auto [end, error] = std::from_chars(number.begin(), number.end(), policy.restarts);
  return error == std::errc() && end == number.end() && policy.restarts <= launcher::most_role_restarts;
}

}  // namespace

void refuse_role(const std::string& text, const std::string& why) {
  throw Quit(exit_usage, "--role " + ranktable::in_quotes(text) + ": " + why);
}

bool is_role_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_plain = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= most_name_bytes && is_letter(name.front()) &&
         std::ranges::all_of(name, is_plain);
}

launcher::Role read_role(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !is_role_name(name))
    refuse_role(text,
                "wanted NAME=RANKS such as decode=8-15, a NAME of letters, digits, - and _, a letter first");
  const std::size_t colon = std::min(text.find(':', equals), text.size());
  const std::set<std::uint32_t> ranks = ranks_of_text(name, text.substr(equals + 1, colon - equals - 1));
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

}  // namespace adarun::cli
