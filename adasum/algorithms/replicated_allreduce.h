// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/algorithms/topology.h"

namespace adasum::algorithms {

/// AdaSum that every rank computes whole: of small vectors, for which waiting for ranks costs more than
/// arithmetic; and of the vectors of two ranks of a node, up to a few MB in ordinary memory, for which
/// sending a half of the result to the other rank costs more. Each rank writes its vector to memory of its
/// node, and every rank computes the result (RowTree) by the same operations. The results are bit-equal
/// because all ranks have the same kind of CPU. Formula and tree: arXiv 2006.02924, section 3; departure as
/// in gram().
///
/// With m nodes of k ranks, n elements, per rank:
///   barriers  1 on the node
///   steps     over nodes, one all-gather of the node's result
///   flops     n k (k + 1) + 2 n k on the node, n m (m + 3) over nodes
///
/// Returns null, on all ranks, if vectors are longer or split into more tensors than its limits; if another
/// algorithm than automatic is requested; for double, whose sums keep more digits when ranks share the work;
/// with groups; with more than kernels::max_rows ranks on a node, or nodes; and if hierarchical_allreduce()
/// would return null. Collective; `topology` must outlive the result. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> replicated_allreduce(Topology& topology, const Tensors<T>& tensors);

}  // namespace adasum::algorithms
