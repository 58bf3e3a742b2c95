// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/any_table.h"

namespace adarun::ranktable {

/// The same ranks in another schema.
struct Converted {
  AnyTable table;
  /// What the source says and the result cannot, a line each with its JSON path; empty: nothing is lost.
  std::vector<std::string> losses;
  /// What the result says and the source does not (invented names, defaults), a line each.
  std::vector<std::string> additions;
};

/// `table` in the schema `to`, every device with the rank it has. Throws Error where that schema cannot hold
/// these ranks (the order of a cloud table is fixed by its server and device ids) or addresses.
Converted convert(const AnyTable& table, Schema to);

/// The ranks of any table as a Table of version 1.0 or 1.2, what this model cannot hold left out. A cloud
/// table's ranks are HCCL's: by server_id in byte order, then by device_id. Throws Error like `convert`.
Table ranks_of(const AnyTable& table);

}  // namespace adarun::ranktable
