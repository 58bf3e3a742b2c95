// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/schemas/base/conversion.h"

namespace adarun::ranktable {

// Common parts of cloud and lab tables: a list of groups of instances of devices.

/// A device of an instance.
struct GroupListDevice {
  int device_id = 0;
  std::string device_ip;
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.number_text("device_id", device_id);
    archive.text("device_ip", device_ip, Presence::optional);
    list_other_card_fields(archive);
  }

  bool operator==(const GroupListDevice&) const = default;
};

/// The name of the single group that a conversion makes.
inline constexpr const char* default_group_name = "group0";

/// The largest device_id in them, and the rule that says so.
inline constexpr int largest_group_list_device_id = 7;
inline constexpr Rule group_list_device_id{
    "device_id must be 0 to 7 in a group_list table", "EI0014",
    "write the physical id of the card, as npu-smi info lists them; servers with more "
    "cards need version 1.0 or later: adarun ranktable convert --to 1.0"};

/// "$.group_list[1]"
std::string group_path(std::size_t group);

/// "$.group_list[1].instance_list[0]"
std::string instance_path(std::size_t group, std::size_t instance);

/// Groups by name, of those checked so far.
using GroupNames = std::unordered_map<std::string_view, std::size_t>;

/// Checks that the name is none of `names`, and adds it, which borrows it; an empty name is not compared.
void check_group_name(const std::string& name, std::size_t group, GroupNames& names, Findings& findings);

/// Check that a cloud or lab table has groups, and that a group has instances.
void check_has_groups(std::size_t groups, Findings& findings);
void check_has_instances(std::size_t instances, std::size_t group, Findings& findings);

/// Adds the facts of each group; `add_instance(facts, path, instance)` adds those of an instance.
template <typename Group, typename AddInstance>
void add_group_facts(std::vector<SchemaField>& facts, const std::vector<Group>& groups,
                     AddInstance add_instance) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string path = group_path(i);
    add_unless(facts, path + ".group_name", groups[i].group_name, default_group_name);
    for (std::size_t j = 0; j < groups[i].instances.size(); ++j)
      add_instance(facts, instance_path(i, j), groups[i].instances[j]);
    add_facts(facts, FieldKind::own, path, groups[i].extras);
  }
}

}  // namespace adarun::ranktable
