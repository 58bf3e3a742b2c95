// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/algorithms/topology.h"

namespace adasum::algorithms {

/// AdaSum of small vectors, where waiting for ranks costs more than arithmetic: each rank writes its vector
/// to memory of its node, and every rank computes the whole result (RowTree), by the same operations.
/// Bit-equal on all ranks, as all have the same kind of CPU. Formula and tree: arXiv 2006.02924, section 3;
/// departure as gram()'s.
///
/// With m nodes of k ranks, n elements, per rank:
///   barriers  1 on the node
///   steps     over nodes one all-gather of the node's result
///   flops     n k (k + 1) + 2 n k on the node, n m (m + 3) over nodes
///
/// Null, on all ranks, where vectors are longer or in more tensors, or another algorithm than the automatic
/// one is wanted; of double, whose sums keep more digits where ranks share them; with groups, with more than
/// kernels::max_rows ranks on a node, or nodes; and where hierarchical_allreduce() is null. Collective;
/// `topology` must outlive it. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> small_allreduce(Topology& topology, const Tensors<T>& tensors);

}  // namespace adasum::algorithms
