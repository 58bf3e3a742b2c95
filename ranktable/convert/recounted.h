// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/any_table.h"

namespace adarun::ranktable {

/// A line for each count that the table's file has wrong, with its JSON path: what it says and what there is.
std::vector<std::string> recounted(const AnyTable& table);

}  // namespace adarun::ranktable
