// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "trainer/planner/search/choice.h"

namespace adarun::planner {

/// As eliminate(), of options that have no workspace. If none that fit take less than `below_seconds`:
/// nothing, or slower options. `looks_left`: how many sums of costs may still be looked at; it counts down,
/// and at 0 the result is the fastest options that were met.
std::optional<Chosen> fastest_within(const Choice& choice, double below_seconds, std::size_t& looks_left);

}  // namespace adarun::planner
