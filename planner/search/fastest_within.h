// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "planner/search/choice.h"

namespace adarun::planner {

/// As eliminate(), of options that have no workspace.
std::optional<Chosen> fastest_within(const Choice& choice);

}  // namespace adarun::planner
