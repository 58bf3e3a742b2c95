// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/algorithms/row_parts.h"
#include "adasum/communicators/scalar_reduce.h"

namespace adasum::algorithms {

/// Options of a RowTree. The same on every rank.
struct RowTreeOptions {
  std::size_t rows = 1;     ///< Participants.
  std::size_t group = 1;    ///< Neighbours whose mean is a leaf of the tree; divides `rows`.
  std::size_t tensors = 0;  ///< TensorIndex::all().
  std::size_t shared = 0;   ///< TensorIndex::shared(). The other tensors are this rank's alone.
  std::size_t fan_in = 16;  ///< Nodes combined by one Gram matrix: 2 to kernels::max_rows, a power of two.
};

/// Whether a RowTree overwrites the rows that it is given.
inline bool overwrites_rows(std::size_t rows, std::size_t group) {
  return group > 1 || rows > RowTreeOptions{}.fan_in;
}

/// AdaSum of rows over the tree of neighbours (arXiv 2006.02924, section 3), where an odd one out is carried
/// up, for any number of rows. This rank computes its parts; `reduce` is over the ranks that have the others.
///
/// Up to `fan_in` neighbours are combined at a time: the dot products of each two of them (their Gram
/// matrix), per tensor that ranks share, are summed over the ranks; the coefficients of all follow
/// (tree_coefficients), and one pass computes their combination. So with p rows and fan_in >= p there is one
/// sum, of p (p + 1) / 2 doubles per shared tensor and one more, and one rounding. Tensors whose coefficients
/// would have too few digits are combined pair by pair (combine_pairwise).
///
/// T is float, double, Float16 or BFloat16.
template <typename T>
class RowTree {
 public:
  RowTree(RowParts<T> parts, const RowTreeOptions& options) : parts_(std::move(parts)), options_(options) {}

  const RowParts<T>& parts() const { return parts_; }

  /// After measure(): the dot products of each two leaves, per tensor, where one Gram matrix has all of them;
  /// else none.
  std::span<const double> dots() const;

  /// Reads the rows and writes nothing: the lowest one that holds NaN or an infinity, the same on every rank;
  /// else combine() may follow. When it returns, every rank has read all that it reads here.
  std::optional<std::size_t> measure(ScalarReduce& reduce);

  /// After a measure() that found all finite: the result, into `outs`.
  void combine(ScalarReduce& reduce);

 private:
  RowParts<T> parts_;
  RowTreeOptions options_;
  std::vector<double> gram_;  // TreeStage's; without groups measure() leaves it for combine()
};

}  // namespace adasum::algorithms
