// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/algorithms/topology.h"

namespace adasum::algorithms {

/// AdaSum on several nodes, in two levels. The ranks of a node combine in shared memory, each rank its share,
/// as shared_memory_allreduce() does. The ranks with the same share on all nodes then combine these shares by
/// gram(), or by tree() if there are more than kernels::max_rows nodes. Each rank writes its share of the
/// result to all ranks of its node. Departure from Horovod's hierarchy, which averages within a node: the
/// result is AdaSum over all ranks, or over their groups, by the tree of arXiv 2006.02924, section 3.
///
/// With m nodes of k ranks, n elements, per rank, up to 16 nodes:
///   barriers  4 on the node
///   steps     2 (m - 1) messages, in two batches of m - 1; one sum
///   sent      2 (n / k) (m - 1) / m elements
///
/// With Results::held_back, the tensors are copied if there are groups, or more than max_rows ranks on a
/// node.
///
/// Returns null, on all ranks, if the world does not allow it: nodes of different sizes, groups or subtrees
/// that are split between nodes, or more than max_rows nodes whose number is not a power of two. Collective;
/// `topology` must outlive the result. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> hierarchical_allreduce(Topology& topology, const Tensors<T>& tensors,
                                                    Results results);

}  // namespace adasum::algorithms
