// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ranktable/model/table.h"
#include "ranktable/schemas/cloud/schema.h"
#include "ranktable/schemas/lab/schema.h"
#include "ranktable/schemas/rank_list/schema.h"
#include "ranktable/schemas/server_group/schema.h"

namespace adarun::ranktable {

/// A table of any schema, in the form of its file.
using AnyTable = std::variant<Table, CloudTable, LabTable, RankListTable, ServerGroupTable>;

/// A new schema needs a folder here, its table in AnyTable, and an entry in schemas.cpp.
enum class Schema { v1_0, v1_2, v2_0, cloud, lab, server_group };

/// "1.0", "1.2", "2.0", "cloud", "lab", "server_group": as users type it.
std::string_view name(Schema schema);

/// All schemas, with those names.
std::vector<std::pair<std::string, Schema>> schema_names();

/// The schema of a table; for a Table, by its version.
Schema schema_of(const AnyTable& table);

/// The number of devices: the world size.
std::size_t device_count(const AnyTable& table);

/// The number of servers: entries of server_list (1.x), or distinct ids in instances (cloud, lab), on layer 0
/// (2.0), or of servers with devices (server_group).
std::size_t server_count(const AnyTable& table);

/// The ranks of any table as a Table of version 1.0 or 1.2; what this model cannot hold is left out. A cloud
/// table gets HCCL's ranks: by server_id in byte order, then by device_id; the groups of a server_group table
/// follow one another. Throws Error if they cannot be determined.
Table ranks_of(const AnyTable& table);

}  // namespace adarun::ranktable
