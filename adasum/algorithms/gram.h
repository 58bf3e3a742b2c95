// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "adasum/algorithms/scratch.h"
#include "adasum/algorithms/tensor_index.h"
#include "adasum/communicators/communicator.h"
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/types/layout.h"

namespace adasum::algorithms {

/// Who takes part in gram(): vectors that are spread over several ranks each, all in the same way.
struct GramRanks {
  Communicator& across;  ///< The ranks that hold this rank's elements, one per vector, in their order.
  Communicator* spread =
      nullptr;  ///< The ranks over which this rank's vector is spread by share(); null: it holds all.
  ScalarReduce* within = nullptr;  ///< Over `spread`; null where that is.
};

struct GramOptions {
  std::size_t group = 1;  ///< Neighbours that are averaged first; divides across.size().
  TensorIndex::Shared shared = TensorIndex::Shared::split_tensors;
};

/// What gram() has found: the lowest vector that is not finite, else RowTree::dots().
struct GramResult {
  std::optional<int> not_finite;
  std::vector<double> dots;
};

/// AdaSum from the Gram matrix of all vectors: each rank is sent its share of every other vector's elements
/// (all-to-all), combines its share (RowTree), and sends the result to all (allgather).
///
/// Every node of the tree of arXiv 2006.02924, section 3, is a linear combination of the leaves, so all its
/// coefficients follow from the dot products of each two leaves (tree_coefficients.h): one sum of scalars
/// replaces those of lg p levels. Departure: the result is rounded once instead of once per level.
///
/// `data` are the elements of `layout` that this rank holds of its vector, the same on every rank of
/// `across`. On return they are the result, bit-equal on all of these; or, where the lowest vector with NaN
/// or an infinity is returned, what they were.
///
/// Any number p of vectors. With n = data.size():
///   steps   2 (p - 1) messages of data, each p - 1 at once; one sum of one double, and of p (p + 1) / 2 for
///   each tensor
///           that is split over several ranks' shares (TensorIndex; beyond 16 vectors one for each stage of
///           RowTree)
///   sent    2 n (p - 1) / p elements by each rank
///   flops   n (p + 1) for the dot products, 2 n for the combination, up to 16 vectors
/// Memory: n (p - 1) / p elements, from `scratch`.
template <typename T>
GramResult gram(std::span<T> data, const Layout& layout, const GramRanks& ranks, const GramOptions& options,
                Scratch& scratch);

}  // namespace adasum::algorithms
