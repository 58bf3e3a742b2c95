// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/options/options.h"

namespace adarun::trainer {

/// How a world of ranks is combined: what remains of the options once they met the world.
struct Reduction {
  Reduce reduce = Reduce::none;
  int group_size = 1;  ///< Of AdaSum.

  bool operator==(const Reduction&) const = default;
};

/// Ranks in a group where the user did not say.
inline constexpr int default_device_number = 8;

/// The combination for `world_size` ranks. Throws Error (refused), with the words that users know, where
/// AdaSum does not take the world: one rank, or under AdasumWorld::reference fewer than 16 or no power of
/// two; and where groups do not divide the world, or are a single one.
/// Error (usage) where options contradict each other.
Reduction choose_reduction(const Options& options, int world_size);

}  // namespace adarun::trainer
