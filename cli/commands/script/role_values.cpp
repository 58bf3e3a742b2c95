// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/role_values.h"

#include <algorithm>
#include <string>

#include "cli/commands/script/script_values.h"

namespace adarun::cli {
namespace {

using templates::Values;

const launcher::Role& role_of(const std::vector<launcher::Role>& roles, std::uint32_t rank) {
  return *std::find_if(roles.begin(), roles.end(), [rank](const launcher::Role& role) {
    return std::binary_search(role.ranks.begin(), role.ranks.end(), rank);
  });
}

}  // namespace

void add_programs(Values& values, const std::vector<launcher::Role>& roles) {
  std::vector<Values>& own = values.lists["roles"];
  values.lists["one_program"] = std::vector<Values>(roles.empty() ? 1 : 0);
  values.lists["any_role"] = std::vector<Values>(roles.empty() ? 0 : 1);
  if (!roles.empty()) values.texts.erase("program");
  for (const launcher::Role& role : roles)
    own.push_back({{{"role", role.name}, {"program", shell_words(role.argv).substr(1)}}, {}});
}

void add_role_variables(std::vector<Values>& ranks, const std::vector<launcher::Role>& roles) {
  for (Values& each : ranks) {
    std::string& variables = each.texts["role_variables"];
    if (roles.empty()) continue;
    const auto rank = static_cast<std::uint32_t>(std::stoul(each.texts.at("rank")));
    variables = shell_words(launcher::role_variables(role_of(roles, rank), rank));
  }
}

}  // namespace adarun::cli
