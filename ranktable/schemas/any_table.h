// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ranktable/model/table.h"
#include "ranktable/schemas/cloud/table.h"
#include "ranktable/schemas/lab/table.h"
#include "ranktable/schemas/rank_list/table.h"

namespace adarun::ranktable {

/// A table of any schema, as its file has it.
using AnyTable = std::variant<Table, CloudTable, LabTable, RankListTable>;

/// A new one has a folder beside this file, its table above, and an entry in schemas.cpp.
enum class Schema { v1_0, v1_2, v2_0, cloud, lab };

/// "1.0", "1.2", "2.0", "cloud", "lab": as users type it.
std::string_view name(Schema schema);

/// All schemas, with those names.
std::vector<std::pair<std::string, Schema>> schema_names();

/// Which one it is; a Table by its version.
Schema schema_of(const AnyTable& table);

/// Devices of the table: the world size.
std::size_t device_count(const AnyTable& table);

/// Servers of the table: its entries, or how many ids there are in instances (cloud, lab) and on layer 0
/// (2.0).
std::size_t server_count(const AnyTable& table);

/// The ranks of any table as a Table of version 1.0 or 1.2, what this model cannot hold left out. A cloud
/// table's ranks are HCCL's: by server_id in byte order, then by device_id. Throws Error where they cannot be
/// told.
Table ranks_of(const AnyTable& table);

}  // namespace adarun::ranktable
