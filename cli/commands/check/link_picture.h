// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands/check/links.h"
#include "monitor/plot/picture.h"

namespace adarun::cli {

/// A square for each link, the darker the faster: from the node of its line to that of its column.
monitor::plot::Scene link_picture(const CheckedLinks& links);

}  // namespace adarun::cli
