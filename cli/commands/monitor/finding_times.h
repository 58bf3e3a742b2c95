// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/commands/monitor/runs.h"
#include "monitor/detect/finding.h"

namespace adarun::cli {

/// Gives findings of a run whose logs were read long after they were written the time of the lines that show
/// them: as line_times.txt beside the logs tells it, else as the lines say themselves. Reads the logs once
/// more for that, where there are findings and something tells times; not logs of more than 1 GiB in all.
void date_findings(std::vector<monitor::RunFinding>& findings, const ReadRun& read);

}  // namespace adarun::cli
