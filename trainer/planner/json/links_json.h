// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trainer/planner/costs/links.h"

namespace adarun::planner {

/// Costs as a JSON file, schema "adarun-links-1": {"schema", "levels": [{"name", "message_s", "byte_s",
/// "shared"}], "operations_per_s"}; the last is optional.
std::string write_links(const MeasuredLinks& links);

/// Reads it; `name` is that of the file. Throws Error, also if a cost is absurd: a message of more than 10 s,
/// a byte of more than 0.01 s, less than 10^3 operations per second.
MeasuredLinks read_links(const std::string& text, const std::string& name);

}  // namespace adarun::planner
