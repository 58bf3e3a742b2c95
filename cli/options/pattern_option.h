// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "monitor/parse/line_pattern.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Adds --pattern, which may be given several times. A bad one is wrong usage.
void add_pattern_option(CLI::App& command, std::vector<std::string>& patterns);

/// What was given with it, once that was found to be good.
std::vector<monitor::LinePattern> line_patterns(const std::vector<std::string>& patterns);

}  // namespace adarun::cli
