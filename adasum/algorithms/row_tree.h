// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/algorithms/tensor_index.h"
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/types/layout.h"

namespace adasum::algorithms {

/// What a RowTree does with rows that hold NaN or an infinity.
enum class NotFinite {
  reported,  ///< measure() returns the lowest.
  combined,  ///< They are combined: results of finite rows may be too large for T. Not with groups.
};

/// Options of a RowTree. The same on every rank.
struct RowTreeOptions {
  std::size_t rows = 1;     ///< Number of participants.
  std::size_t group = 1;    ///< Neighbours whose mean is a leaf of the tree; divides `rows`.
  std::size_t tensors = 0;  ///< TensorIndex::all().
  std::size_t shared = 0;   ///< TensorIndex::shared(). Only this rank holds the other tensors.
  std::size_t fan_in = 16;  ///< Nodes per Gram matrix: a power of two, 2 to kernels::max_rows.
  NotFinite not_finite = NotFinite::reported;
};

/// Whether a RowTree overwrites its input rows.
inline bool overwrites_rows(std::size_t rows, std::size_t group) {
  return group > 1 || rows > RowTreeOptions{}.fan_in;
}

/// AdaSum of rows over the tree of neighbours (arXiv 2006.02924, section 3), for any number of rows: an
/// unpaired row moves up a level unchanged. This rank computes its parts; `reduce` is over the ranks that
/// have the others.
///
/// Up to `fan_in` neighbours are combined at a time. The dot products of every two of them (their Gram
/// matrix), per tensor that ranks share, are summed over the ranks. All coefficients follow from these
/// (tree_coefficients), and one pass computes the combination. So p rows with fan_in >= p need one sum, of p
/// (p + 1) / 2 doubles per shared tensor and one more, and one rounding. Tensors whose coefficients would
/// have too few digits are combined pair by pair (combine_pairwise).
///
/// T is float, double, Float16 or BFloat16.
template <typename T>
class RowTree {
 public:
  RowTree(RowParts<T> parts, const RowTreeOptions& options) : parts_(std::move(parts)), options_(options) {}

  const RowParts<T>& parts() const { return parts_; }

  /// After measure(): the dot products of every two leaves, per tensor, if one Gram matrix holds all of them;
  /// else empty.
  std::span<const double> dots() const;

  /// Reads the rows and writes nothing. Returns the lowest row that holds NaN or an infinity, the same on
  /// every rank; if there is none, or with NotFinite::combined, it returns nothing, and combine() may follow.
  /// When it returns, every rank has finished these reads.
  std::optional<std::size_t> measure(ScalarReduce& reduce);

  /// Call after a measure() that returned nothing: writes the result to `outs`.
  void combine(ScalarReduce& reduce);

 private:
  RowParts<T> parts_;
  RowTreeOptions options_;
  std::vector<double> gram_;  // see TreeStage; without groups, measure() fills it for combine()
};

/// The rows begin, begin + stride, .. below end: the nodes of one tree level, each stored in its first row.
struct StridedRows {
  Range rows;
  std::size_t stride = 1;
};

/// AdaSum of `nodes` over the tree of neighbours, level by level and pair by pair as in arXiv 2006.02924,
/// section 3. The result is in the first row. For tensors whose Gram matrix has too few digits (RowTree).
/// Slow, but exact also for vectors of double whose squares leave the range of double: it scales each vector
/// by a power of two for its dot products (like the BLAS's nrm2; Blue, "A Portable Fortran Program to Find
/// the Euclidean Norm of a Vector", 1978).
///
/// Only tensors t with wanted[t] are combined; the others, and those beyond its end, are not touched. The
/// result of values that are not finite is not finite.
template <typename T>
void combine_pairwise(RowParts<T>& parts, const StridedRows& nodes, std::span<const char> wanted,
                      ScalarReduce& reduce);

}  // namespace adasum::algorithms
