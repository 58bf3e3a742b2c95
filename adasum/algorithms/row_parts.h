// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace adasum::algorithms {

/// The elements of one tensor that this rank computes, of every participant's vector: row r is that of
/// participant r, wherever it lies.
template <typename T>
struct RowPart {
  std::size_t tensor = 0;  ///< Its number: TensorIndex::of().
  std::size_t size = 0;
  std::vector<T*> rows;  ///< One per participant, `size` elements each; may be overwritten.
  std::vector<T*> outs;  ///< Where the result is written; rows may be among them.
};

template <typename T>
using RowParts = std::vector<RowPart<T>>;

}  // namespace adasum::algorithms
