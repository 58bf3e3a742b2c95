// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/commands/monitor/runs.h"

namespace adarun::cli {

/// How runs are told of.
struct SummaryForm {
  bool json = false;
  bool compare =
      false;  ///< Beside each other, a line each with a heading; always so where there are several.
  bool findings = false;  ///< Below that, what was found in each; one run's are in its summary anyway.
};

/// `adarun monitor --once`: prints the summaries of runs as they were read; as JSON several are an array,
/// each with its name as "run". Whether anything was found in one of them.
bool print_summaries(const std::vector<ReadRun>& runs, const SummaryForm& form);

}  // namespace adarun::cli
