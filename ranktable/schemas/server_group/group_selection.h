// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adarun::ranktable {

/// Ranks of a table that become a group of servers. Apart from the schema, since users select them.
struct GroupSelection {
  std::string group_id;              ///< A decimal number.
  std::vector<std::uint32_t> ranks;  ///< Ascending, as numbered in the table.
};

}  // namespace adarun::ranktable
