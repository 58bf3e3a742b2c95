// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/algorithms/row_parts.h"
#include "adasum/scalars.h"

namespace adasum::algorithms {

/// How a RowTree goes about it. Every rank with the same.
struct RowTreeOptions {
  std::size_t rows = 1;     ///< Participants.
  std::size_t group = 1;    ///< Neighbours whose mean is a leaf of the tree; divides `rows`.
  std::size_t tensors = 0;  ///< Numbers of tensors, those that other ranks have parts of as well first.
  std::size_t shared = 0;   ///< How many these are, numbered alike by all ranks. The others are this rank's alone.
  std::size_t fan_in = 16;  ///< Nodes that become one by one set of dot products: 2 to kernels::max_rows, a power of two.
};

/// Whether a RowTree works in the rows that it is given, rather than leaving them as they are.
inline bool overwrites_rows(std::size_t rows, std::size_t group) { return group > 1 || rows > RowTreeOptions{}.fan_in; }

/// AdaSum of rows over the tree of neighbours, where an odd one out is carried up, for any number of rows. This
/// rank computes its parts; `scalars` reaches the ranks that have the others.
///
/// Up to `fan_in` neighbours become one at a time: the dot products of each two of them, per tensor that ranks share, are
/// summed over the ranks; the coefficients of all follow (tree_coefficients), and one pass makes their combination.
/// So with p rows and fan_in >= p all is done with one sum of p (p + 1) / 2 doubles per shared tensor and one more, and
/// rounded once. Tensors whose coefficients that leaves in doubt are combined pair by pair.
///
/// T is float, double, Float16 or BFloat16.
template <typename T>
class RowTree {
 public:
  RowTree(RowParts<T> parts, const RowTreeOptions& options) : parts_(std::move(parts)), options_(options) {}

  const RowParts<T>& parts() const { return parts_; }

  /// After measure(): the dot products of each two leaves, per tensor, where all become one in one step; else none.
  std::span<const double> dots() const;

  /// Reads the rows and writes nothing: the lowest one that holds NaN or an infinity, the same on every rank; else
  /// all is ready for combine(). When it returns, every rank has read what it had to.
  std::optional<std::size_t> measure(Scalars& scalars);

  /// After a measure() that found all finite: the result, into `outs`.
  void combine(Scalars& scalars);

 private:
  RowParts<T> parts_;
  RowTreeOptions options_;
  std::vector<double> gram_;  // Stage's; without groups measure() leaves it for combine()
};

}  // namespace adasum::algorithms
