// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/communicators/communicator.h"
#include "trainer/optimizers/optimizer.h"

namespace adarun::trainer {

/// An optimizer whose work and memory the ranks share: each steps its own tensors, neighbours of about as
/// many elements as every other rank's, and then has the new weights of the others. All ranks give the same
/// gradients; weights come out as of one optimizer, to the bit. Collective over `communicator`, which
/// outlives it. Throws Error (usage) as make_optimizer() does.
std::unique_ptr<Optimizer> make_sharded(const OptimizerOptions& options, const OptimizedTensors& tensors,
                                        adasum::Communicator& communicator);

}  // namespace adarun::trainer
