// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <optional>

#include "adasum/communicators/communicator.h"
#include "adasum/sockets/elastic_world.h"
#include "trainer/base/log_lines.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"
#include "trainer/run/continuation.h"
#include "trainer/run/run.h"

namespace adarun::trainer {

/// run() with the ranks of `world`, and again with those that are left whenever some have ended. Fewer ranks
/// may be any number; they reduce as reduction_of_fewer() says, all of them by `of_all`. Says when this rank
/// needs no others any more, also when it ends by an Error: that is none that others continue without.
/// Collective. Throws as run() does.
RunOutcome run_elastic(const TrainerOptions& options, const Reduction& of_all, adasum::ElasticWorld& world,
                       const Print& print, std::optional<c10::Device> device);

/// What run_elastic() does with one set of ranks: agrees on where they are, trains, and waits until all have
/// ended. After an adasum::Error, `continuation` has what further ranks continue from. Collective.
RunOutcome run_members(const TrainerOptions& options, const Reduction& reduction,
                       adasum::Communicator& communicator, const Print& print,
                       std::optional<c10::Device> device, Continuation& continuation);

}  // namespace adarun::trainer
