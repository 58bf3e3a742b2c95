// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "adasum/algorithms/row_parts.h"
#include "adasum/layout.h"
#include "adasum/scalars.h"

namespace adasum::algorithms {

/// Rows that are combined: begin, begin + stride, .. below end.
struct Nodes {
  Range rows;
  std::size_t stride = 1;
};

/// AdaSum of `nodes` over their tree, level by level and pair by pair, into the first of them. Slow, and exact
/// for vectors of double whose squares leave its range too: for its dot products each is scaled by a power of
/// two. Only the tensors that are `wanted`; the others, and those beyond them, are not touched. All is finite.
template <typename T>
void careful_pairs(RowParts<T>& parts, const Nodes& nodes, std::span<const char> wanted, Scalars& scalars);

}  // namespace adasum::algorithms
