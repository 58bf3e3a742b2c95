// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/group_list.h"

#include "ranktable/model/quote.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

constexpr Rule name_is_unique{
    "a group_name must be of one group only", "EI0014",
    "join the instances of one group in one entry, or give each group its own name"};
constexpr Rule has_groups{"group_list must have at least one group", "EI0014", "add the group of the job"};
constexpr Rule has_instances{"a group must have at least one instance", "EI0014",
                             "add its instances, or take the group out"};

}  // namespace

std::string group_path(std::size_t group) {
  return item_path("$.group_list", group);
}

std::string instance_path(std::size_t group, std::size_t instance) {
  return item_path(group_path(group) + ".instance_list", instance);
}

void check_group_name(const std::string& name, std::size_t group, GroupNames& names, Findings& findings) {
  if (name.empty()) return;
  const std::string path = group_path(group) + ".group_name";
  check_name(name, path, findings);
  const auto [first, is_new] = names.emplace(name, group);
  if (!is_new) report_again(findings, name_is_unique, path, in_quotes(name), group_path(first->second));
}

void check_has_groups(std::size_t groups, Findings& findings) {
  if (groups == 0) report(findings, has_groups, "$.group_list", "");
}

void check_has_instances(std::size_t instances, std::size_t group, Findings& findings) {
  if (instances == 0) report(findings, has_instances, group_path(group) + ".instance_list", "");
}

}  // namespace adarun::ranktable
