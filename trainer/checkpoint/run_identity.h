// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "trainer/checkpoint/file.h"
#include "trainer/models/model.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {

/// Facts about a model that checkpoints record.
Facts model_facts(const Model& model);

/// What checkpoints record about a training of `model` by `world_size` ranks on `samples` samples, without a
/// run id yet: facts that must match on resume, and settings (by option name) that users may change, which is
/// then reported. Learning rate, schedule, number of epochs, precision and device are in neither.
RunIdentity run_identity(const TrainerOptions& options, const Reduction& reduction, const Model& model,
                         std::size_t samples, int world_size);

}  // namespace adarun::trainer
