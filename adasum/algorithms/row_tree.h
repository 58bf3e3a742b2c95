// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "adasum/algorithms/row_parts.h"
#include "adasum/scalars.h"

namespace adasum::algorithms {

/// How row_tree() goes about its tree. Every rank with the same.
struct RowTreeOptions {
  std::size_t rows = 1;     ///< Participants.
  std::size_t group = 1;    ///< Neighbours whose mean is a leaf of the tree; divides `rows`.
  std::size_t tensors = 0;  ///< Of the whole vectors, not of this rank's parts.
  std::size_t fan_in = 16;  ///< Nodes that become one by one set of dot products: 2 to kernels::max_rows, a power of two.
};

/// AdaSum of rows over the tree of neighbours, where an odd one out is carried up, for any number of rows. This
/// rank computes its parts; `scalars` reaches the ranks that have the others.
///
/// Up to `fan_in` neighbours become one at a time: the dot products of each two of them, per tensor, are summed
/// over the ranks; the coefficients of all follow (tree_coefficients), and one pass makes their combination.
/// So with p rows and fan_in >= p all is done with one sum of p (p + 1) / 2 doubles per tensor, and rounded
/// once. Tensors whose coefficients that leaves in doubt are combined pair by pair.
///
/// Returns the lowest row that holds NaN or an infinity, the same on every rank; nothing has been written then.
/// Else the result is in `outs`. T is float, double, Float16 or BFloat16.
template <typename T>
std::optional<std::size_t> row_tree(RowParts<T>& parts, const RowTreeOptions& options, Scalars& scalars);

}  // namespace adasum::algorithms
