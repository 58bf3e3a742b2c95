// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/layout.h"
#include "adasum/peers.h"
#include "adasum/scratch.h"

namespace adasum::algorithms {

/// The mean of `data` over `group`, each rank computing its share of the elements: returns that share, where
/// the mean stands on return; the rest of `data` is as it was. Sums in double, rounded once. T is float, double, Float16 or BFloat16.
///
/// Any number of ranks g. g - 1 exchanges, n (g - 1) / g elements sent by each rank of n = data.size().
template <typename T>
Range scatter_mean(std::span<T> data, Peers& group, Scratch& scratch);

/// Every rank's share of `data`, to every rank of `group`, all at once: the way back. As many messages of the same sizes.
template <typename T>
void gather_shares(std::span<T> data, Peers& group);

}  // namespace adasum::algorithms
