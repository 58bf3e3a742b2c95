// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/options/options.h"

namespace adarun::trainer {

/// Ranks in a group where the user did not say.
inline constexpr int default_device_number = 8;

/// What remains of the options once they met a world of `world_size` ranks. Throws Error (refused), with the
/// words that users know, where AdaSum does not take the world: one rank, or under AdasumWorld::reference
/// fewer than 16 or no power of two; and where groups do not divide the world, or are a single one. Error
/// (usage) where options contradict each other.
Reduction choose_reduction(const TrainerOptions& options, int world_size);

}  // namespace adarun::trainer
