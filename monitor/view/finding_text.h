// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "monitor/detect/finding.h"

namespace adarun::monitor {

/// The node of a rank; empty where it is not known.
using NodeOf = std::function<std::string(std::uint32_t rank)>;

/// "rank 3 on node1, epoch 1 step 120: its loss is nan or inf (2026-11-21 10:02:11)", without the name of the
/// fault, and with what is known of node and time.
std::string finding_text(const Finding& finding, const NodeOf& node_of);

}  // namespace adarun::monitor
