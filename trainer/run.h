// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/peers.h"
#include "trainer/callbacks/callback.h"
#include "trainer/options.h"
#include "trainer/rules.h"

namespace adarun::trainer {

/// The whole work of one rank: opens the data, makes the model, starts all ranks from rank 0's weights,
/// trains, and prints what a training log holds. Collective over `peers`. Throws Error, adasum::Error.
void run(const Options& options, const Combination& combination, adasum::Peers& peers, const Print& print);

}  // namespace adarun::trainer
