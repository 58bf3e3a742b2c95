// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "ranktable/model/finding.h"
#include "ranktable/rules/validate_options.h"

namespace adarun::ranktable {

/// The largest device_id that a schema takes, and the rule that says so.
struct DeviceIdLimit {
  int largest;
  Rule rule;
};

/// What the rules for all schemas are told of one of them.
struct SchemaForm {
  std::string_view name;  ///< "1.0", as users type it.

  /// The lists that lead from the root to a device: "server_list", "device"; empty behind the last.
  std::array<std::string_view, 3> lists{};
  std::size_t rank_depth = 0;  ///< How many of them lead to the object with the rank_id.
  bool has_text_ids = true;    ///< Whether ids are written in quotes.
  bool has_servers = true;     ///< Whether servers and card addresses are looked at.

  DeviceIdLimit device_ids{};

  std::string_view schema_path;                ///< The field that tells the schema: "$.version".
  std::array<bool, 4> generations{};           ///< By Generation: which of them have tables of this schema.
  const Rule* of_other_generations = nullptr;  ///< For the others; nullptr: see check_generations.

  std::size_t depth() const {
    return static_cast<std::size_t>(std::find(lists.begin(), lists.end(), "") - lists.begin());
  }
  bool is_of(Generation generation) const { return generations[static_cast<std::size_t>(generation)]; }
};

}  // namespace adarun::ranktable
