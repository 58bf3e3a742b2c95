// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// The fields of `table` that the schema `to` cannot hold, one line for each kind of field: the first of its
/// kind with its JSON path and value, and how many more there are.
std::vector<std::string> dropped_fields(const AnyTable& table, Schema to);

}  // namespace adarun::ranktable
