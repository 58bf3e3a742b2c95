// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "ranktable/operations/merge.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// Returns the table for a merge. Throws Error, with the command that converts it, if it is neither 1.0 nor
/// 1.2.
Table table_to_merge(AnyTable table, const std::string& file);

/// Throws Error, with the command that converts one of them, if two tables have different versions.
void require_one_version(std::span<const MergeInput> inputs);

}  // namespace adarun::ranktable
