// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ranktable/model/table.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// The order of servers in a merged table. Ranks are renumbered in this order.
enum class Order {
  given,    ///< The order of the tables, and of the servers and devices in each.
  numeric,  ///< By server_id: addresses by value, then names with runs of digits by value.
  lexical,  ///< By server_id, byte by byte: 10.0.0.10 before 10.0.0.2.
  rank,     ///< By the ranks in the tables; table by table if a rank is repeated.
};

/// A table to merge, with the name of its file for messages.
struct MergeInput {
  std::string name;
  Table table;
};

struct Merged {
  Table table;
  std::vector<std::string> warnings;
};

/// Merges all servers into one table with ranks 0, 1, 2, ... in the given order. In version 1.2, super pods
/// with the same id become one, in the order of their servers. Throws Error on no input, tables of different
/// versions, a table without servers or devices, a repeated server or card address (naming both files), plain
/// tables together with others, and conflicting super pods: a server in two, one that no table has, a
/// repeated super_device_id in a pod. Warns of a wrong server_count (it is recounted), a status other than
/// "completed" (kept), fields that are left out, pods that differ in other fields than their servers, and a
/// given order that is neither numeric nor lexical.
Merged merge(std::span<const MergeInput> inputs, Order order);

/// Whether `left` comes before `right` in Order::numeric.
bool numeric_less(std::string_view left, std::string_view right);

/// The reference's file name: "hccl_2s_16p.json".
std::string merged_name(const Table& table);

/// Whether `name` has that form.
bool is_merged_name(const std::string& name);

/// Returns the table for a merge. Throws Error, with the command that converts it, if it is neither 1.0 nor
/// 1.2.
Table table_to_merge(AnyTable table, const std::string& file);

}  // namespace adarun::ranktable
