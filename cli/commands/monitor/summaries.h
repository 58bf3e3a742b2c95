// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/commands/monitor/runs.h"
#include "monitor/detect/finding.h"

namespace adarun::cli {

/// Sets the times of findings, for a run whose logs are read after they were written: the times of the lines
/// that show them, from line_times.txt beside the logs, else from the lines themselves. A rank that has not
/// stopped by these times is left out. Reads the logs once more, if there are findings and line times are
/// known. Does nothing for logs of more than 1 GiB in total.
void date_findings(std::vector<monitor::RunFinding>& findings, const ReadRun& read);

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
