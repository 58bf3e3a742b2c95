// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "trainer/checkpoint/file.h"
#include "trainer/models/model.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {

/// What checkpoints say of a training of `model` by `world_size` ranks on `samples` samples, without a run
/// yet: the facts that must be those of the job that goes on, and the settings, by the names of their
/// options, that users may change but are told of. Learning rate, schedule, number of epochs, precision and
/// device are in neither.
RunIdentity run_identity(const TrainerOptions& options, const Reduction& reduction, const Model& model,
                         std::size_t samples, int world_size);

}  // namespace adarun::trainer
