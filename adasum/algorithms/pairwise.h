// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "adasum/algorithms/tensor_index.h"
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/types/layout.h"

namespace adasum::algorithms {

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
