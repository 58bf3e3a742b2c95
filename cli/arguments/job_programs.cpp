// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/job_programs.h"

#include <algorithm>

#include "cli/arguments/command.h"
#include "cli/arguments/roles.h"
#include "launcher/hosts/read.h"

namespace adarun::cli {
namespace {

void add_ranks_of(launcher::Role& role, const std::string& host, const launcher::Placement& placement) {
  const auto place = std::ranges::find(placement.hosts, host, &launcher::Host::name);
  if (place == placement.hosts.end())
    throw Quit(exit_usage, "role " + role.name + ": \"" + host + "\" is none of the job's hosts");
  const std::ptrdiff_t number = place - placement.hosts.begin();
  for (const ranktable::Device& device : placement.table.servers[static_cast<std::size_t>(number)].devices)
    role.ranks.push_back(static_cast<std::uint32_t>(device.rank_id));
}

void take_ranks_of_hosts(launcher::Role& role, const std::string& list,
                         const launcher::Placement& placement) {
  const auto hosts =
      or_quit(exit_usage, [&] { return launcher::parse_host_list(list, "hosts of role " + role.name); });
  for (const launcher::Host& host : hosts) add_ranks_of(role, host.name, placement);
  std::ranges::sort(role.ranks);
}

bool has_policy(const launcher::Role& role) {
  return role.policy != launcher::RolePolicy{};
}

bool is_background(const launcher::Role& role) {
  return role.policy.background;
}

}  // namespace

JobPrograms read_programs(const std::vector<std::string>& role_texts, const Invocation& invocation) {
  const SpecFile* spec = invocation.spec.get();
  const bool is_in_spec = spec != nullptr && (!spec->program.empty() || !spec->roles.roles.empty());
  const bool is_typed = !invocation.trailing.empty() || !role_texts.empty();
  if (is_in_spec && is_typed)
    throw Quit(exit_usage, "launch: the file of --spec has a program: wanted none behind it");
  if (is_in_spec) return {spec->program, spec->roles};
  if (invocation.trailing.empty())
    throw Quit(exit_usage, "launch: no program given, as in: adarun launch --hosts node1:8 ./train");
  JobPrograms programs{{}, {read_roles(role_texts, invocation.trailing), {}}};
  if (programs.given.roles.empty()) programs.program = invocation.trailing;
  return programs;
}

std::vector<launcher::Role> roles_on(const GivenRoles& given, const launcher::Placement& placement) {
  std::vector<launcher::Role> roles = given.roles;
  for (launcher::Role& role : roles)
    if (const auto hosts = given.hosts.find(role.name); hosts != given.hosts.end())
      take_ranks_of_hosts(role, hosts->second, placement);
  or_quit(exit_usage, [&] { launcher::require_roles_fit(roles, placement); });
  return roles;
}

void require_options_fit(const std::vector<launcher::Role>& roles, const LaunchOptions& options) {
  if (roles.empty()) return;
  if (options.spares.min_nodes)
    throw Quit(exit_usage,
               "--role: not with --min-nodes: with fewer nodes, ranks of a role would be missing");
  if (options.min_ranks && std::ranges::any_of(roles, has_policy))
    throw Quit(exit_usage, "--min-ranks: not with roles that are background, optional or restarted");
  if (std::ranges::all_of(roles, is_background))
    throw Quit(exit_usage, "--role: all roles are in the background: the job has none to wait for");
}

}  // namespace adarun::cli
