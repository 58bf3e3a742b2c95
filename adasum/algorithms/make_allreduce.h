// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/algorithms/topology.h"

namespace adasum::algorithms {

/// Selects the algorithm by the options, the world and where the tensors are in memory, and prepares it. The
/// first of these that applies:
///   replicated_allreduce     small vectors, and those of two ranks, in shared memory of a node
///   shared_memory_allreduce  one node
///   hierarchical_allreduce   several nodes of equal size: shared memory within them, messages between them
///   message_allreduce        any world: by gram() or tree()
/// The first three apply only with Algorithm::automatic and Algorithm::shared (the first only with
/// automatic).
///
/// Collective; `topology` must outlive the result. Throws adasum::Error on every rank if the lists of tensors
/// differ, or if Algorithm::shared is requested and the world does not allow it. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> make_allreduce(Topology& topology, Tensors<T> tensors, Results results);

}  // namespace adasum::algorithms
