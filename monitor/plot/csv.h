// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "monitor/series/run.h"

namespace adarun::monitor::plot {

/// The first line of a table of losses.
std::string csv_heading();

/// A run as lines of comma-separated values: of each rank every point with its place and its loss, the mean
/// over Run::stride() steps with the lowest and highest where that is above 1; "nan" where there is no
/// number. Hands them to `out` in pieces.
void csv_lines(std::string_view name, const Run& run, const std::function<void(std::string_view)>& out);

}  // namespace adarun::monitor::plot
