// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adasum/communicators/communicator.h"

namespace adarun::trainer {

/// Refuses, on this rank alone, to go on with steps that were taken with other options or another data set.
/// Both: Snapshot::setup. Throws Error (refused).
void check_same_setup(const std::string& mine, const std::string& of_steps);

/// Refuses options that differ from rank to rank, as where the nodes have different files for --config: each
/// rank would take other steps. `mine`: TrainerOptions::same_on_all. Collective. Throws Error (refused) with
/// the same message on every rank.
void check_same_options(const std::string& mine, adasum::Communicator& communicator);

}  // namespace adarun::trainer
