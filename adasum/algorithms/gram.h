// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "adasum/algorithms/tensor_numbers.h"
#include "adasum/layout.h"
#include "adasum/peers.h"
#include "adasum/scalars.h"
#include "adasum/scratch.h"

namespace adasum::algorithms {

/// Who takes part in gram(): vectors that are spread over several ranks each, all in the same way.
struct GramPeers {
  Peers& across;             ///< The ranks that hold this rank's elements, one per vector, in their order.
  Peers* spread = nullptr;   ///< The ranks over which this rank's vector is spread by share(); nullptr: it holds all of it.
  Scalars* within = nullptr; ///< Reaches these.
};

struct GramOptions {
  std::size_t group = 1;  ///< Neighbours that are averaged first; divides across.size().
  TensorNumbers::Shared shared = TensorNumbers::Shared::where_they_are;
};

/// What gram() has found: the lowest vector that is not finite, else RowTree::dots().
struct GramResult {
  std::optional<int> not_finite;
  std::vector<double> dots;
};

/// AdaSum in one shot: each rank is sent its share of every other vector's elements, makes their tree of it
/// (RowTree), and sends the result to all.
///
/// `data` are the elements of `layout` that this rank holds of its vector, the same on every rank of `across`. On return
/// they are the result, bit-equal on all of these; or, where the lowest vector with NaN or an infinity is returned, what
/// they were.
///
/// Any number p of vectors. With n = data.size():
///   steps   2 (p - 1) messages of data, each p - 1 at once; one sum of one double, and of p (p + 1) / 2 for each tensor
///           that reaches over several ranks' shares (TensorNumbers; beyond 16 vectors one for each stage of RowTree)
///   sent    2 n (p - 1) / p elements by each rank
///   flops   n (p + 1) / 2 for the dot products, n for the combination, up to 16 vectors
/// Memory: n (p - 1) / p elements, from `scratch`.
template <typename T>
GramResult gram(std::span<T> data, const Layout& layout, const GramPeers& peers, const GramOptions& options,
                Scratch& scratch);

}  // namespace adasum::algorithms
