// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/commands/monitor/runs.h"
#include "monitor/parse/line_pattern.h"

namespace adarun::cli {

/// `adarun monitor` without --once: shows the loss of this job until it ends or the user quits, through all
/// its attempts: earlier ones are read first, and further ones as they come.
/// `patterns`: further formats of loss lines. Returns the exit status: 3 if there is nothing to read, 130
/// after Ctrl-C.
int monitor_live(const AskedRun& asked, std::vector<monitor::LinePattern> patterns, bool color);

}  // namespace adarun::cli
