// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/commands/monitor/runs.h"
#include "monitor/detect/finding.h"

namespace adarun::cli {

/// Sets the times of findings, for a run whose logs are read after they were written: the times of the lines
/// that show them, from line_times.txt beside the logs, else from the lines themselves. Reads the logs once
/// more, if there are findings and line times are known. Does nothing for logs of more than 1 GiB in total.
void date_findings(std::vector<monitor::RunFinding>& findings, const ReadRun& read);

}  // namespace adarun::cli
