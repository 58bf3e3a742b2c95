// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/jobs/job_dir.h"
#include "monitor/parse/line_pattern.h"

namespace adarun::cli {

/// `adarun monitor` without --once: shows the loss of the job in `places` until it ends or the user quits.
/// `patterns`: further formats of loss lines. Returns the exit status: 3 if there is nothing to read, 130
/// after Ctrl-C.
int monitor_live(const LogPlaces& places, std::vector<monitor::LinePattern> patterns, bool color);

}  // namespace adarun::cli
