// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <optional>

#include "adasum/communicators/communicator.h"
#include "trainer/base/log_lines.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {

/// How a training ended that did not fail.
enum class RunOutcome { done, stopped };

/// The whole work of one rank: opens the data, makes the model, starts all ranks from rank 0's weights or
/// from a checkpoint, trains, and prints what a training log holds. Stopped: some rank was asked to end
/// (SIGTERM), and a checkpoint is written. With a `device` the model is computed there; weights, gradients
/// and the optimizer's memory stay here, and are brought there and back for each pass. Collective over
/// `communicator`. Throws Error, adasum::Error.
RunOutcome run(const TrainerOptions& options, const Reduction& reduction, adasum::Communicator& communicator,
               const Print& print, std::optional<c10::Device> device = std::nullopt);

}  // namespace adarun::trainer
