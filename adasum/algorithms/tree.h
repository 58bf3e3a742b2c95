// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/algorithms/scratch.h"
#include "adasum/communicators/communicator.h"
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/types/layout.h"

namespace adasum::algorithms {

/// The ranks of tree(). Leaf i of the tree is a vector that is spread over one or more ranks; every leaf is
/// spread in the same way.
struct TreeRanks {
  /// The ranks that hold the same elements as this rank, one per leaf, in leaf order. size() is a power of
  /// two.
  Communicator& across;
  /// Over the ranks that hold the parts of this rank's leaf; nullptr if this rank holds all of it.
  ScalarReduce* within = nullptr;
};

/// AdaSum over a balanced tree of neighbours by recursive vector halving and distance doubling: a
/// reduce-scatter in which partners combine instead of add, then an allgather by the same exchanges in
/// reverse.
///
/// Algorithm: AdasumRVH of Maleki et al., "Scaling Distributed Training with Adaptive Summation", arXiv
/// 2006.02924, as in Horovod; its exchanges are those of Rabenseifner's allreduce (Thakur, Rabenseifner,
/// Gropp, "Optimization of Collective Communication Operations in MPICH", 2005). Departure: the ranks that
/// hold a pair sum its dot products by recursive doubling, in double, so that all of them get the same bits.
///
/// `data` holds the elements `mine` of `layout`: this rank's part of its leaf, the same elements on every
/// rank of `across`. On return it holds the result, the same bits on every rank of `across`.
///
/// With n = data.size(), p = across.size() (latency a per message, b per element, c per multiply-add):
///   time    lg p (lg p + 5) / 2 a + 2 n (p - 1) / p b + 5 n (p - 1) / p c
///   steps   2 lg p exchanges of data, lg p (lg p + 1) / 2 of 3 doubles per tensor (lg p sums over `within`)
///   sent    2 n (p - 1) / p elements by each rank
///   flops   10 n (p - 1) / p
/// Memory: n / 2 elements, from `scratch`. T is float, double, Float16 or BFloat16. All values must be
/// finite.
template <typename T>
void tree(std::span<T> data, Range mine, const Layout& layout, const TreeRanks& ranks, Scratch& scratch);

}  // namespace adasum::algorithms
