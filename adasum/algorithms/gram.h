// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "adasum/algorithms/row_tree.h"
#include "adasum/algorithms/scratch.h"
#include "adasum/algorithms/tensor_index.h"
#include "adasum/communicators/communicator.h"
#include "adasum/communicators/scalar_reduce.h"
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

/// The ranks of gram(). Each vector may be spread over several ranks, all vectors in the same way.
struct GramRanks {
  Communicator& across;  ///< Ranks that hold the same elements as this rank, one per vector, in order.
  Communicator* spread =
      nullptr;  ///< The ranks over which share() spreads this rank's vector; null: this rank holds all of it.
  /// Over `spread`, or over the ranks that hold the other parts of this rank's tensors, which then all pass
  /// Shared::all_tensors; null if there are neither.
  ScalarReduce* within = nullptr;
};

struct GramOptions {
  std::size_t group = 1;  ///< Neighbours that are averaged first; divides across.size().
  TensorIndex::Shared shared = TensorIndex::Shared::split_tensors;
  NotFinite not_finite = NotFinite::reported;
};

/// What gram() returns: the lowest vector that is not finite (NotFinite::reported), else RowTree::dots().
struct GramResult {
  std::optional<int> not_finite;
  std::vector<double> dots;
};

/// AdaSum from the Gram matrix of all vectors: each rank receives its share of every other vector's elements
/// (all-to-all), combines its share (RowTree), and sends the result to all ranks (allgather).
///
/// Every node of the tree of arXiv 2006.02924, section 3, is a linear combination of the leaves, so all its
/// coefficients follow from the dot products of every two leaves (tree_coefficients.h): one sum of scalars
/// replaces the sums of lg p levels. Departure: the result is rounded once instead of once per level.
///
/// `data` holds this rank's elements of its vector, as `layout` describes them; the same elements on every
/// rank of `across`. On return they are the result, bit-equal on all of these ranks. If a vector has NaN or
/// an infinity and that is to be reported, the lowest such vector is returned and `data` is unchanged.
///
/// Any number p of vectors. With n = data.size():
///   steps   2 (p - 1) messages of data, in two batches of p - 1; one sum of one double and of p (p + 1) / 2
///           doubles for each tensor that is split over several ranks' shares (TensorIndex; beyond 16 vectors
///           one sum for each stage of RowTree)
///   sent    2 n (p - 1) / p elements by each rank
///   flops   n (p + 1) for the dot products, 2 n for the combination, up to 16 vectors
/// Memory: n (p - 1) / p elements, from `scratch`.
template <typename T>
GramResult gram(std::span<T> data, const Layout& layout, const GramRanks& ranks, const GramOptions& options,
                Scratch& scratch);

}  // namespace adasum::algorithms
