// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "adasum/peers.h"

namespace adasum {

/// How the ranks of a world are combined.
struct Options {
  /// Ranks [k*group_size, (k+1)*group_size) take their mean first, then the groups combine by AdaSum.
  /// 1: flat, every rank is a group of its own. Must divide the world's size; the number of groups must be
  /// a power of two.
  int group_size = 1;
};

/// Combines `data` of all ranks by AdaSum, in place, with the same bits on every rank.
///
/// `data` holds tensors one after the other, `counts[t]` elements each; their sum is data.size(). AdaSum is
/// defined per tensor: each has its own coefficients. Arithmetic on T, dot products in double. A count may
/// be 0. Collective over `peers`.
///
/// Formula and tree: Maleki et al., "Scaling Distributed Training with Adaptive Summation", arXiv 2006.02924:
///   Adasum(a, b) = (1 - a.b / (2|a|^2)) a + (1 - a.b / (2|b|^2)) b,  over a balanced tree of neighbours.
/// Departure: a vector with |a|^2 = 0 contributes nothing, and the other is taken as it is.
///
/// Throws adasum::Error where the world does not fit the options, or the counts do not add up.
template <typename T>
void allreduce(std::span<T> data, std::span<const std::int64_t> counts, Peers& peers,
               const Options& options = {});

extern template void allreduce<float>(std::span<float>, std::span<const std::int64_t>, Peers&,
                                      const Options&);
extern template void allreduce<double>(std::span<double>, std::span<const std::int64_t>, Peers&,
                                       const Options&);

}  // namespace adasum
