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
/// Any number g of ranks. g - 1 exchanges, n (g - 1) / g elements sent by each rank of n = data.size().
template <typename T>
Range scatter_mean(std::span<T> data, Communicator& group, Scratch& scratch);

/// Allgather: every rank's share() of `data`, to every rank of `group`, all at once. As many messages of the
/// same sizes.
template <typename T>
void gather_shares(std::span<T> data, Communicator& group);

}  // namespace adasum::algorithms
