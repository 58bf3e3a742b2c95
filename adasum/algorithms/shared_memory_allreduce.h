// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/algorithms/topology.h"

namespace adasum::algorithms {

/// AdaSum on one node, in shared memory. Each rank reads its share of the elements of all ranks in place
/// (NodeVectors), combines it by its Gram matrix (RowTree, as gram() does by messages), and writes the result
/// to all ranks. Nothing is copied if all tensors are in memory from Engine::allocate(). All reads precede
/// all writes. Formula and tree: arXiv 2006.02924, section 3; departure as in gram().
///
/// With p ranks and n elements, per rank:
///   barriers  3
///   memory    2n elements read, of all vectors; n written
///   flops     n (p + 1) for the dot products, 2 n for the combination, up to 16 ranks
///
/// Returns null, on all ranks, if the ranks are on several nodes or share no memory. Collective; `topology`
/// must outlive the result. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> shared_memory_allreduce(Topology& topology, const Tensors<T>& tensors);

}  // namespace adasum::algorithms
