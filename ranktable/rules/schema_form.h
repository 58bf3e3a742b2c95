// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "ranktable/model/finding.h"
#include "ranktable/rules/validate_options.h"

namespace adarun::ranktable {

/// The largest device_id that a schema allows, and the rule that says so.
struct DeviceIdLimit {
  int largest;
  Rule rule;
};

/// Describes a schema to the rules that are common to all schemas.
struct SchemaForm {
  std::string_view name;  ///< "1.0", as users type it.

  /// The lists on the path from the root to a device: "server_list", "device"; empty after the last.
  std::array<std::string_view, 3> lists{};
  std::size_t rank_depth = 0;        ///< How many of them lead to the object that has the rank_id.
  bool ranks_are_of_groups = false;  ///< Whether they count in each group of servers.
  bool has_text_ids = true;          ///< Whether ids are quoted.
  bool has_servers = true;           ///< Whether servers and card addresses are checked.

  DeviceIdLimit device_ids{};

  std::string_view schema_path;                ///< The field that identifies the schema: "$.version".
  std::array<bool, 4> generations{};           ///< By Generation: which of them use this schema.
  const Rule* of_other_generations = nullptr;  ///< For others; nullptr: see check_generations.

  std::size_t depth() const {
    return static_cast<std::size_t>(std::find(lists.begin(), lists.end(), "") - lists.begin());
  }
  bool is_of(Generation generation) const { return generations[static_cast<std::size_t>(generation)]; }
};

}  // namespace adarun::ranktable
