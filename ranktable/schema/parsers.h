// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ranktable/any_table.h"
#include "ranktable/finding.h"
#include "ranktable/json/document.h"

namespace adarun::ranktable {

/// Each makes a table of the root object of a file, as much of it as can be read: what is wrong with its form
/// becomes a finding, a number that cannot be read -1.

/// Of version 1.0 or 1.2.
Table parse_v1(JsonValue root, std::vector<Finding>& findings);

CloudTable parse_cloud(JsonValue root, std::vector<Finding>& findings);
LabTable parse_lab(JsonValue root, std::vector<Finding>& findings);

/// Of version 2.0.
RankListTable parse_rank_list(JsonValue root, std::vector<Finding>& findings);

}  // namespace adarun::ranktable
