// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// The same ranks in another schema.
struct Converted {
  AnyTable table;
  /// What the source says and the result cannot, a line each with its JSON path; empty: nothing is lost.
  std::vector<std::string> dropped_fields;
  /// What the result says and the source does not (default names, counts), a line each.
  std::vector<std::string> additions;
};

/// `table` in the schema `to`, every device with the rank it has. Throws Error where that schema cannot hold
/// these ranks (the order of a cloud table is fixed by its server and device ids) or addresses.
Converted convert(const AnyTable& table, Schema to);

}  // namespace adarun::ranktable
