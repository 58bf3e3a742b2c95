// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/layout.h"
#include "adasum/peers.h"
#include "adasum/scratch.h"

namespace adasum::algorithms {

/// The mean of `data` over `group`, each rank computing its share of the elements: returns that share, where
/// the mean stands on return; the rest of `data` is as it was. Sums in double, rounded once.
///
/// Any number of ranks g. g - 1 exchanges, n (g - 1) / g elements sent by each rank of n = data.size().
template <typename T>
Range scatter_mean(std::span<T> data, Peers& group, Scratch& scratch);

/// Every rank's share of `data`, to every rank of `group`: the way back. Costs what scatter_mean costs.
template <typename T>
void gather_shares(std::span<T> data, Peers& group);

extern template Range scatter_mean<float>(std::span<float>, Peers&, Scratch&);
extern template Range scatter_mean<double>(std::span<double>, Peers&, Scratch&);
extern template void gather_shares<float>(std::span<float>, Peers&);
extern template void gather_shares<double>(std::span<double>, Peers&);

}  // namespace adasum::algorithms
