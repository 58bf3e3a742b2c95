// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/types/layout.h"
#include "trainer/optimizers/optimizer.h"

namespace adarun::trainer {

/// The elements that each rank owns of tensors with so many: whole tensors, consecutive ones, with about as
/// many elements as every other rank's.
std::vector<adasum::Range> shards(const std::vector<std::int64_t>& counts, int ranks);

/// An optimizer whose work and memory are divided among the ranks: each rank steps its own tensors,
/// those of shards(), then receives the new weights of the others. All ranks must pass the same gradients;
/// the weights are bit-equal to those of one optimizer. Collective over `communicator`, which must outlive
/// it. Throws Error (usage) as make_optimizer() does.
std::unique_ptr<Optimizer> make_sharded(const OptimizerOptions& options, const OptimizedTensors& tensors,
                                        adasum::Communicator& communicator);

}  // namespace adarun::trainer
