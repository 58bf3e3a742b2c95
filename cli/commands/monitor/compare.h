// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/commands/monitor/runs.h"

namespace adarun::cli {

/// Several runs beside each other, a line each, with a heading.
std::string comparison_table(const std::vector<ReadRun>& runs);

/// The summary of each as an array, each with its name as "run".
std::string comparison_json(const std::vector<ReadRun>& runs);

}  // namespace adarun::cli
