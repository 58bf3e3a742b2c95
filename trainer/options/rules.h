// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/options/options.h"

namespace adarun::trainer {

/// The default number of ranks in a group.
inline constexpr int default_device_number = 8;

/// Whether less_bn centralizes gradients: by gc_flag, if there is decay. Without it the reference has no
/// groups of parameters, and centralizes nothing.
bool centralizes_gradients(const TrainerOptions& options);

/// The reduction that results from the options in a world of `world_size` ranks. Throws Error (refused), with
/// the reference's messages, if AdaSum does not support the world: under AdasumWorld::reference fewer than 16
/// ranks or not a power of two; and if groups do not divide the world, or there is only one. Throws
/// Error (usage) if options contradict each other.
Reduction choose_reduction(const TrainerOptions& options, int world_size);

/// Whether layers may be split over ranks: by a plan of the user's, or one that the training makes.
bool splits_layers(const TrainerOptions& options);

/// Throws Error (usage) if options do not go with layers that are split, or there is no plan where one is
/// wanted.
void check_plan(const TrainerOptions& options, const Reduction& reduction);

}  // namespace adarun::trainer
