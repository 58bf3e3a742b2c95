// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "monitor/series/run.h"

namespace adarun::monitor::plot {

/// The heading line of a table of losses.
std::string csv_heading();

/// A run as lines of comma-separated values, one for each point of each rank: its position, epoch, step and
/// loss. With a Run::stride() above 1 the loss is the mean over that many steps, followed by the lowest and
/// highest. "nan" where no loss is finite. The loss of a validation comes last; those of positions without
/// another loss have lines of their own. Passes the lines to `out` in pieces.
void csv_lines(std::string_view name, const Run& run, const std::function<void(std::string_view)>& out);

}  // namespace adarun::monitor::plot
