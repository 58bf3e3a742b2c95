// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/algorithms/topology.h"

namespace adasum::algorithms {

/// AdaSum on several nodes, in two levels: the ranks of a node combine in shared memory, each rank its share,
/// as shared_memory_allreduce() does; the ranks with the same share on all nodes combine those by gram(), or
/// by tree() where there are more nodes than kernels::max_rows; and each rank writes its share of the result
/// to all ranks of its node. Departure from Horovod's hierarchy, which averages within a node: the result is
/// AdaSum over all ranks, or over their groups, by the tree of arXiv 2006.02924, section 3.
///
/// With m nodes of k ranks, n elements, per rank, up to 16 nodes:
///   barriers  4 on the node
///   steps     2 (m - 1) messages, each m - 1 at once; one sum
///   sent      2 (n / k) (m - 1) / m elements
///
/// Where results are held back, copies are made of tensors in groups, and of more than max_rows ranks on a
/// node.
///
/// Null, on all ranks, where it does not fit the world: nodes of different sizes, groups or subtrees that are
/// spread over nodes in part, or more than max_rows nodes whose number is no power of two. Collective;
/// `topology` must outlive it. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> hierarchical_allreduce(Topology& topology, const Tensors<T>& tensors,
                                                    Results results);

}  // namespace adasum::algorithms
