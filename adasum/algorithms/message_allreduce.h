// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/algorithms/topology.h"

namespace adasum::algorithms {

/// AdaSum by messages between all ranks, by gram() or tree(). Algorithm::automatic uses gram() for up to 16
/// ranks, and for any number of groups that is not a power of two. Formula and tree: arXiv 2006.02924,
/// section 3, with the departures of gram() and tree().
///
/// With groups, tree() runs as scatter_mean() within each group, tree() between the ranks with the same
/// share, then gather_shares() within each group. With gram(), each rank averages the groups for the share
/// that it combines.
///
/// Works in the tensors themselves if they are contiguous and results are wanted in place, else in a copy.
/// `topology` must outlive the result. T as for Plan.
template <typename T>
std::unique_ptr<AllreduceOp> message_allreduce(Topology& topology, Tensors<T> tensors, Results results);

}  // namespace adasum::algorithms
