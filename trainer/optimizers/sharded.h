// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/communicators/communicator.h"
#include "trainer/optimizers/optimizer.h"

namespace adarun::trainer {

/// An optimizer whose work and memory are divided among the ranks: each rank steps its own tensors,
/// consecutive ones with about as many elements as every other rank's, then receives the new weights of the
/// others. All ranks must pass the same gradients; the weights are bit-equal to those of one optimizer.
/// Collective over `communicator`, which must outlive it. Throws Error (usage) as make_optimizer() does.
std::unique_ptr<Optimizer> make_sharded(const OptimizerOptions& options, const OptimizedTensors& tensors,
                                        adasum::Communicator& communicator);

}  // namespace adarun::trainer
