// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace adasum::algorithms {

/// This rank's elements of one tensor, in every participant's vector. Row r is that of participant r; rows
/// may be anywhere in memory.
template <typename T>
struct RowPart {
  std::size_t tensor = 0;  ///< Its number: TensorIndex::of().
  std::size_t size = 0;
  std::vector<T*> rows;  ///< One per participant, `size` elements each; may be overwritten.
  std::vector<T*> outs;  ///< Where the result is written; may include rows.
};

template <typename T>
using RowParts = std::vector<RowPart<T>>;

}  // namespace adasum::algorithms
