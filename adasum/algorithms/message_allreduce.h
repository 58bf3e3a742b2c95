// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/algorithms/topology.h"

namespace adasum::algorithms {

/// AdaSum by messages between all ranks, by gram() or tree(): with Algorithm::automatic by gram() up to 16
/// ranks, and for any number of groups that is no power of two. Formula and tree: arXiv 2006.02924, section
/// 3, with the departures of these two.
///
/// Groups by tree(): scatter_mean() within each group, tree() between the ranks with the same share,
/// gather_shares() within each group; by gram() groups are averaged by the rank that combines the share.
///
/// Works in the tensors themselves where they are contiguous and results are wanted in place, else in a copy.
/// `topology` must outlive it. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> message_allreduce(Topology& topology, Tensors<T> tensors, Results results);

}  // namespace adasum::algorithms
