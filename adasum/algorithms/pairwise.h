// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "adasum/algorithms/row_parts.h"
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/types/layout.h"

namespace adasum::algorithms {

/// The rows begin, begin + stride, .. below end: the nodes of one level of a tree, each in its first row.
struct StridedRows {
  Range rows;
  std::size_t stride = 1;
};

/// AdaSum of `nodes` over the tree of neighbours, level by level and pair by pair as arXiv 2006.02924,
/// section 3, has it, into the first of them. For tensors whose Gram matrix has too few digits (RowTree).
/// Slow, and exact for vectors of double whose squares leave its range too: for its dot products each vector
/// is scaled by a power of two (as the BLAS's nrm2 does; Blue, "A Portable Fortran Program to Find the
/// Euclidean Norm of a Vector", 1978).
///
/// Only tensors t with wanted[t]; the others, and those beyond it, are not touched. All values are finite.
template <typename T>
void combine_pairwise(RowParts<T>& parts, const StridedRows& nodes, std::span<const char> wanted,
                      ScalarReduce& reduce);

}  // namespace adasum::algorithms
