// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/algorithms/scratch.h"
#include "adasum/communicators/communicator.h"
#include "adasum/types/layout.h"

namespace adasum::algorithms {

/// Reduce-scatter of the mean over `group`: each rank computes the mean of its share() of the elements.
/// Returns that share; on return it holds the mean, and the rest of `data` is unchanged. Sums are in double
/// and rounded once. T is float, double, Float16 or BFloat16.
///
/// Algorithm: the pairwise exchange of Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication
/// Operations in MPICH", 2005, for the reduce-scatter of long vectors. Departure: two ranks are partners in a
/// round if their sum modulo g is the number of the round, so that both send to each other.
///
/// Works for any number g of ranks: g - 1 exchanges; each rank sends n (g - 1) / g elements, n = data.size().
template <typename T>
Range scatter_mean(std::span<T> data, Communicator& group, Scratch& scratch);

/// Allgather: sends every rank's share() of `data` to every rank of `group`, all at once. The number and
/// sizes of messages are those of scatter_mean().
template <typename T>
void gather_shares(std::span<T> data, Communicator& group);

}  // namespace adasum::algorithms
