// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/algorithms/scratch.h"
#include "adasum/communicators/communicator.h"
#include "adasum/types/layout.h"

namespace adasum::algorithms {

/// Reduce-scatter of the mean: the mean of `data` over `group`, each rank computing its share() of the
/// elements. Returns that share, where the mean stands on return; the rest of `data` is as it was. Sums in
/// double, rounded once. T is float, double, Float16 or BFloat16.
///
/// Algorithm: the pairwise exchange that Thakur, Rabenseifner, Gropp, "Optimization of Collective
/// Communication Operations in MPICH", 2005, have for the reduce-scatter of long vectors. Departure: the
/// partners of a round are those whose ranks add up to the same number modulo g, so that both send to each
/// other.
///
/// Any number g of ranks. g - 1 exchanges, n (g - 1) / g elements sent by each rank of n = data.size().
template <typename T>
Range scatter_mean(std::span<T> data, Communicator& group, Scratch& scratch);

/// Allgather: every rank's share() of `data`, to every rank of `group`, all at once. As many messages of the
/// same sizes.
template <typename T>
void gather_shares(std::span<T> data, Communicator& group);

}  // namespace adasum::algorithms
