// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "ranktable/model.h"
#include "ranktable/schema/cloud.h"
#include "ranktable/schema/lab.h"
#include "ranktable/schema/rank_list.h"

namespace adarun::ranktable {

/// A table of any schema, as its file has it.
using AnyTable = std::variant<Table, CloudTable, LabTable, RankListTable>;

enum class Schema { v1_0, v1_2, v2_0, cloud, lab };

/// "1.0", "1.2", "2.0", "cloud", "lab": as users type it.
std::string_view name(Schema schema);

/// Which one it is; a Table by its version.
Schema schema_of(const AnyTable& table);

/// Devices of the table: the world size.
std::size_t device_count(const AnyTable& table);

/// Servers of the table: its entries, or how many ids there are in instances (cloud, lab) and on layer 0
/// (2.0).
std::size_t server_count(const AnyTable& table);

}  // namespace adarun::ranktable
