// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace adarun::launcher {

/// How many rounds it takes until each of `nodes` has met each other one, one at a time: nodes - 1, or as
/// many as there are nodes if that is odd.
std::size_t rounds_of(std::size_t nodes);

/// Whom `node` meets in a round; nullopt: nobody. With an even number, all nodes meet somebody in each round.
std::optional<std::size_t> partner_of(std::size_t node, std::size_t round, std::size_t nodes);

}  // namespace adarun::launcher
