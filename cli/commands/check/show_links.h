// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/commands/check/links.h"
#include "monitor/plot/picture.h"

namespace adarun::cli {

/// For people: the rates of up to 16 nodes as a matrix, their speeds, and the levels.
std::string links_text(const CheckedLinks& links);

/// As JSON (docs/check-links.schema.json).
std::string links_json(const CheckedLinks& links);

/// The levels as costs for adarun plan. Throws ExitError if no link was measured.
std::string links_file(const CheckedLinks& links);

/// A square for each link, the darker the faster: from the node of its line to that of its column.
monitor::plot::Scene link_picture(const CheckedLinks& links);

}  // namespace adarun::cli
