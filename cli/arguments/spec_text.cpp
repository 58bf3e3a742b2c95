// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "cli/arguments/rank_set.h"
#include "cli/arguments/spec_file.h"

namespace adarun::cli {
namespace {

using nlohmann::ordered_json;

ordered_json json_value_of(const CLI::Option& option) {
  const std::vector<std::string>& results = option.results();
  const bool is_flag = option.get_expected_max() == 0;
  if (is_flag && results.size() == 1) return results.front() != "false";
  if (results.size() > 1) return results;
  return results.front();
}

ordered_json json_of(const launcher::Role& role, const GivenRoles& roles) {
  ordered_json json{{"name", role.name}};
  if (const auto hosts = roles.hosts.find(role.name); hosts != roles.hosts.end())
    json["hosts"] = hosts->second;
  else
    json["ranks"] = shown_ranks({role.ranks.begin(), role.ranks.end()});
  json["program"] = role.argv;
  if (!role.environment.empty()) json["env"] = role.environment;
  if (!role.workdir.empty()) json["workdir"] = role.workdir;
  if (role.policy.background) json["background"] = true;
  if (role.policy.optional) json["optional"] = true;
  if (role.policy.restarts > 0) json["restarts"] = role.policy.restarts;
  return json;
}

}  // namespace

std::string spec_text(const CLI::App& launch, const GivenRoles& roles,
                      const std::vector<std::string>& program) {
  ordered_json json = ordered_json::object();
  for (const CLI::Option* option : launch.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    const bool is_of_roles = name == "hosts" && !roles.hosts.empty();
    if (is_of_roles || is_no_part_of_job(name)) continue;
    json[name] = json_value_of(*option);
  }
  for (const launcher::Role& role : roles.roles) json["roles"].push_back(json_of(role, roles));
  if (roles.roles.empty() && !program.empty()) json["program"] = program;
  return base::escape_controls(json.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace adarun::cli
