// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "ranktable/rules/rule.h"

namespace adarun::ranktable {

/// "$.group_list[1]"
std::string group_path(std::size_t group);

/// "$.group_list[1].instance_list[0]"
std::string instance_path(std::size_t group, std::size_t instance);

/// Names of groups, each once in a cloud or lab table; groups without a name are not told apart. Borrows
/// them.
class GroupNames {
 public:
  void check(std::string_view name, std::size_t group, Findings& findings);

 private:
  std::unordered_map<std::string_view, std::size_t> holders_;
};

/// That a cloud or lab table has groups and a group has instances.
void check_has_groups(std::size_t groups, Findings& findings);
void check_has_instances(std::size_t instances, std::size_t group, Findings& findings);

}  // namespace adarun::ranktable
