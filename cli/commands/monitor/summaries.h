// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/commands/monitor/runs.h"

namespace adarun::cli {

/// How to print runs.
struct SummaryForm {
  bool json = false;
  /// As a table with a heading and one line per run; always so for several runs.
  bool compare = false;
  /// Findings of each run below the table; the summary of a single run always has them.
  bool findings = false;
};

/// `adarun monitor --once`: prints the summaries of runs; as JSON, several runs are an array, each with its
/// name as "run". Returns whether any of them has findings.
bool print_summaries(const std::vector<ReadRun>& runs, const SummaryForm& form);

}  // namespace adarun::cli
