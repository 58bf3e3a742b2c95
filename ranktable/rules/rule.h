// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ranktable/finding.h"

namespace adarun::ranktable {

using Findings = std::vector<Finding>;

/// What is wanted of a table, in the words of its findings. They are the same for every place that breaks it,
/// so that findings of one rule can be told by them; what differs goes into what was found.
struct Rule {
  std::string_view wanted;
  std::string_view code;  ///< HCCL's; empty where it has none.
  std::string_view mend;  ///< What to do about it, as an order without a full stop.
  Severity severity = Severity::error;
};

/// Appends that `rule` is broken at `path`.
void report(Findings& findings, const Rule& rule, std::string path, std::string found);

}  // namespace adarun::ranktable
