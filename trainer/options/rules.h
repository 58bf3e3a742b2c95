// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

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

/// Throws Error (usage) if the options do not go with --elastic: what ends with a rank and no other has, and
/// steps in which ranks wait for others after some have changed their weights.
void check_elastic(const TrainerOptions& options);

/// How `ranks` ranks reduce that are left of more, all of which reduced by `of_all`: in the same way, in
/// groups if they come out even and are more than one, else without groups and their gain. Also one rank,
/// whose AdaSum changes nothing: its checkpoints remain those of the training, which more ranks may resume.
Reduction reduction_of_fewer(const TrainerOptions& options, const Reduction& of_all, int ranks);

/// What the user should know about that: one line, or nothing.
std::string note_on_fewer(const Reduction& of_all, const Reduction& of_fewer, int ranks);

}  // namespace adarun::trainer
