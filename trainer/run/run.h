// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <optional>

#include "adasum/communicators/communicator.h"
#include "trainer/base/log_lines.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"
#include "trainer/run/continuation.h"

namespace adarun::trainer {

/// How a training ended without an error.
enum class RunOutcome { done, stopped };

/// Does all the work of one rank: opens the data, makes the model, starts all ranks from rank 0's weights or
/// from a checkpoint, trains, and prints the training log. Returns stopped if some rank got SIGTERM; a
/// checkpoint is then written. With a `device`, the model is computed there; weights, gradients and optimizer
/// state stay in main memory and are copied for each pass. Collective over `communicator`. Throws Error,
/// adasum::Error.
///
/// With a `continuation` it begins from what that holds, and after an adasum::Error that has what a further
/// call continues from.
RunOutcome run(const TrainerOptions& options, const Reduction& reduction, adasum::Communicator& communicator,
               const Print& print, std::optional<c10::Device> device = std::nullopt,
               Continuation* continuation = nullptr);

}  // namespace adarun::trainer
