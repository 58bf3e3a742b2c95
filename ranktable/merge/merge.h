// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// The order of servers in a merged table. Ranks are numbered anew in it.
enum class Order {
  given,    ///< Of the tables, and of the servers and devices in each.
  numeric,  ///< By server_id: addresses by value, then names with runs of digits by value.
  lexical,  ///< By server_id, byte by byte: 10.0.0.10 before 10.0.0.2.
  rank,     ///< By the ranks that the tables have; table by table where two of them have the same rank.
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

/// One table of all servers, ranks 0, 1, 2, ... in the wanted order. In version 1.2 super pods of the same id
/// are one, in the order of their servers. Throws Error on no input, tables of different versions, a table
/// without servers or devices, a server or card address that comes twice (naming both files), plain tables
/// together with others, and super pods that do not go together (super_pods.h). Warns of a wrong server_count
/// (counted anew), a status other than "completed" (kept), fields that are left out, and a given order that
/// is neither numeric nor lexical.
Merged merge(std::span<const MergeInput> inputs, Order order);

/// The reference's file name: "hccl_2s_16p.json".
std::string merged_name(const Table& table);

/// Whether `name` is such a name.
bool is_merged_name(const std::string& name);

}  // namespace adarun::ranktable
