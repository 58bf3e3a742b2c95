// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trainer/options/options.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {

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
