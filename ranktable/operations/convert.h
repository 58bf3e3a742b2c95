// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// A table in another schema, with the same ranks.
struct Converted {
  AnyTable table;
  /// What the source contains and the result cannot, one line each with its JSON path; empty if nothing is
  /// lost.
  std::vector<std::string> dropped_fields;
  /// What the result contains and the source does not (default names, counts), one line each.
  std::vector<std::string> additions;
};

/// Converts `table` to the schema `to`; every device keeps its rank. Throws Error if that schema cannot hold
/// these ranks (the order of a cloud table is fixed by its server and device ids) or addresses.
Converted convert(const AnyTable& table, Schema to);

/// Converts one group of a table, whose ranks are those in the group. Throws Error as `group_index` and
/// `convert` do.
Converted convert_group(const ServerGroupTable& table, const std::string& group_id, Schema to);

/// Converts `table` to server_group, with a group for each selection of its ranks, which are renumbered in
/// each (see `group_ranks`). Without `router` the groups without devices of a server_group table stay. Throws
/// Error as `group_ranks` does.
Converted convert_to_groups(const AnyTable& table, const std::vector<GroupSelection>& selections,
                            const std::string& router);

/// The fields of `table` that the schema `to` cannot hold, one line for each kind of field: the first of its
/// kind with its JSON path and value, and how many more there are.
std::vector<std::string> dropped_fields(const AnyTable& table, Schema to);

}  // namespace adarun::ranktable
